/* Stands in for libffi, which RustPython's `ctypes` links to wherever it runs.
 *
 * Nothing calls it: the interpreter is built with `_ctypes`, and takes it out of its tables before it starts. With this file
 * nobody needs libffi to build or to start fencepost. Should it be called after all, it prepares no call, and a call that was
 * not prepared ends the process. The shapes are those of libffi 3.4's `ffi.h`. */

#include <stddef.h>
#include <stdlib.h>

typedef struct type {
    size_t size;
    unsigned short alignment;
    unsigned short kind;
    struct type **elements;
} type;

#define TYPE(name, c_type, kind) type ffi_type_##name = {sizeof(c_type), _Alignof(c_type), kind, NULL}

type ffi_type_void = {1, 1, 0, NULL};
TYPE(float, float, 2);
TYPE(double, double, 3);
TYPE(uint8, unsigned char, 5);
TYPE(sint8, signed char, 6);
TYPE(uint16, unsigned short, 7);
TYPE(sint16, short, 8);
TYPE(uint32, unsigned int, 9);
TYPE(sint32, int, 10);
TYPE(uint64, unsigned long long, 11);
TYPE(sint64, long long, 12);
TYPE(pointer, void *, 14);

enum status { BAD_ABI = 2 };

enum status ffi_prep_cif(void *cif, int abi, unsigned count, type *result, type **arguments) {
    (void)cif, (void)abi, (void)count, (void)result, (void)arguments;
    return BAD_ABI;
}

void ffi_call(void *cif, void (*function)(void), void *result, void **arguments) {
    (void)cif, (void)function, (void)result, (void)arguments;
    abort();
}

void *ffi_closure_alloc(size_t size, void **code) {
    (void)size, (void)code;
    return NULL;
}

void ffi_closure_free(void *closure) {
    (void)closure;
}

enum status ffi_prep_closure_loc(void *closure, void *cif, void (*function)(void), void *data, void *code) {
    (void)closure, (void)cif, (void)function, (void)data, (void)code;
    return BAD_ABI;
}
