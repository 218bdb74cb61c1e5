//! The capabilities that root has.

use std::io;

/// Gives up every capability, for good and for every program that this process may become. Only root has any. With them
/// the kernel would let a program past its own limits, such as that on descriptors that are on their way between sockets.
pub(super) fn drop_all() -> io::Result<()> {
    /// `_LINUX_CAPABILITY_VERSION_3`: two sets of 32.
    const VERSION: u32 = 0x2008_0522;
    #[repr(C)]
    struct Header {
        version: u32,
        pid: libc::c_int,
    }
    // Effective, permitted and inheritable, twice.
    let none = [0_u32; 6];
    let header = Header { version: VERSION, pid: 0 };
    // SAFETY: plain numbers; the kernel reads both structures and keeps neither.
    unsafe {
        // Whoever may not drop one from the bounding set has none that it bounds. The first that the kernel does not know
        // is the end.
        for capability in 0..64 {
            if libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 {
                break;
            }
        }
        // Kernels before 4.3 have no such set.
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        let emptied = libc::syscall(libc::SYS_capset, &raw const header, &raw const none);
        if emptied == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}
