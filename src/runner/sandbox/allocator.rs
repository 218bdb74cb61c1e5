//! The memory allocator: the system's, but in a child that has used up its memory it says so and ends the process.
//!
//! The limit itself is the kernel's. Without this, the first failed allocation aborts the interpreter, and nobody could
//! tell that from a crash.

#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;

use super::super::protocol::{self, Kind};

/// The status with which a child ends that got no memory. It proves nothing: a program can end with it as well.
const EXIT_STATUS: i32 = 77;

const FRAME_BYTES: usize = 4 + 1 + size_of::<protocol::Key>();

/// In a child: where the last words go, and what they are. Made beforehand, since saying them must not allocate.
static LAST_WORDS: OnceLock<(i32, [u8; FRAME_BYTES])> = OnceLock::new();

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

struct Allocator;

/// From here on, a failed allocation ends this process, after a frame under `key` on `descriptor`.
pub(in super::super) fn end_when_memory_is_used_up(descriptor: i32, key: &protocol::Key) {
    if let Ok(frame) = <[u8; FRAME_BYTES]>::try_from(protocol::encode(Kind::OutOfMemory, key, b"")) {
        let _ = LAST_WORDS.set((descriptor, frame));
    }
}

/// For a process that forks children and lives long, and for children, which do not.
pub(in super::super) fn be_frugal() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: these take plain numbers.
    unsafe {
        // Each further arena takes 64 MiB of address space.
        libc::mallopt(libc::M_ARENA_MAX, 1);
        // The heap grows in larger steps, and what a program frees at its end is not given back to be asked for again: that
        // would take a call and fresh pages each time.
        libc::mallopt(libc::M_TOP_PAD, 512 << 10);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 16 << 20);
    }
}

/// Prepares the heap of a template that has loaded everything its children share: returns free memory to the system, and
/// fills the holes permanently. Children then allocate on fresh pages. Allocating in a hole, or searching for one, would copy
/// the shared pages around it.
pub(in super::super) fn lay_out_for_children() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// Sizes to look for, in bytes, largest first. The smallest is the smallest that there is.
        const LARGEST: usize = 64 << 10;
        const SMALLEST: usize = 16;
        const STEP: usize = 16;
        // SAFETY: plain numbers.
        let end = unsafe {
            libc::malloc_trim(0);
            libc::sbrk(0)
        };
        // What is left free at the end of the heap is less than two pages.
        let fresh = (end as usize).saturating_sub(2 * 4096);
        let mut size = LARGEST;
        while size >= SMALLEST {
            // SAFETY: nobody uses the piece, and it is given back at most once.
            unsafe {
                let place = libc::malloc(size);
                if !place.is_null() && (place as usize) < fresh {
                    continue;
                }
                libc::free(place);
            }
            size -= if size > 64 * STEP { (size / 16).next_multiple_of(STEP) } else { STEP };
        }
    }
}

fn checked(place: *mut u8) -> *mut u8 {
    if place.is_null()
        && let Some((descriptor, frame)) = LAST_WORDS.get()
    {
        // SAFETY: the bytes are a static's, and both calls are allowed at any point. Other threads of the process may
        // be in the middle of a frame of their own: then the parent finds a broken one, and these words behind it.
        unsafe {
            libc::write(*descriptor, frame.as_ptr().cast(), frame.len());
            libc::_exit(EXIT_STATUS);
        }
    }
    place
}

// SAFETY: everything is the system allocator's doing.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the same.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(place, layout, size) })
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}
