//! What is known by its name: clocks, chance, and the generator that all share.

use super::waits;

/// What reads a clock.
pub(super) const CLOCKS: [&str; 22] = [
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
    "time.process_time",
    "time.process_time_ns",
    "time.thread_time",
    "time.thread_time_ns",
    "time.clock_gettime",
    "time.clock_gettime_ns",
    "time.localtime",
    "time.gmtime",
    "time.ctime",
    "time.asctime",
    "time.strftime",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
    "timeit.default_timer",
];

/// What is chance.
pub(super) const CHANCE: [&str; 3] = ["os.urandom", "os.getrandom", "random.SystemRandom"];

/// What makes an id that nothing else has.
pub(super) const UUIDS: [&str; 2] = ["uuid.uuid1", "uuid.uuid4"];

/// What the system counts for itself.
pub(super) const NUMBERS: [&str; 4] = ["os.getpid", "os.getppid", "threading.get_ident", "threading.get_native_id"];

/// The functions of `random` that share one generator.
const SHARED: &str = "random randint randrange choice choices shuffle sample uniform triangular gauss normalvariate \
                      lognormvariate expovariate vonmisesvariate gammavariate betavariate paretovariate \
                      weibullvariate binomialvariate getrandbits randbytes";

/// Whether `name` is that of something that can be used here, by its module.
pub(super) fn is_known(name: &str) -> bool {
    CLOCKS.contains(&name)
        || [&CHANCE[..], &UUIDS, &NUMBERS].iter().any(|names| names.contains(&name))
        || is_shared(name)
        || waits::is_known(name)
        || matches!(name, "random.Random" | "random.seed")
        || name.starts_with("secrets.token_")
        || matches!(name, "secrets.choice" | "secrets.randbelow" | "secrets.randbits")
}

/// Whether `name` is a function of the generator that all share.
pub(super) fn is_shared(name: &str) -> bool {
    name.strip_prefix("random.").is_some_and(|name| SHARED.split(' ').any(|it| it == name))
}
