//! Time zones: `zoneinfo` knows them, though programs cannot open files.

use crate::runner_programs::run;

/// The program prints this on CPython 3.13.
#[test]
fn a_program_knows_the_time_zones() {
    let source = r#"
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones
for name, month, day, hour in [
    ("Europe/Berlin", 3, 29, 1), ("Europe/Berlin", 10, 25, 1), ("America/New_York", 3, 8, 7),
    ("Australia/Lord_Howe", 4, 4, 15), ("Asia/Kolkata", 1, 1, 0), ("America/Sao_Paulo", 1, 1, 0), ("UTC", 1, 1, 0),
]:
    at = datetime(2026, month, day, hour, tzinfo=timezone.utc)
    for moment in (at - timedelta(seconds=1), at):
        local = moment.astimezone(ZoneInfo(name))
        print(name, local.isoformat(), local.tzname(), local.dst())
berlin = ZoneInfo("Europe/Berlin")
print(*[datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=berlin).isoformat() for fold in (0, 1)])
print(datetime(2060, 7, 1, tzinfo=berlin) - datetime(1985, 1, 1, tzinfo=berlin))
for name in ("Europe/Nowhere", "europe/berlin"):
    try:
        ZoneInfo(name)
    except ZoneInfoNotFoundError as error:
        print(error)
for name in ("../etc/passwd", "/etc/passwd", "Europe//Berlin"):
    try:
        ZoneInfo(name)
    except ValueError as error:
        print(error)
print(berlin, ZoneInfo("Europe/Berlin") is berlin, "Europe/Berlin" in available_timezones())
"#;
    let printed = "\
Europe/Berlin 2026-03-29T01:59:59+01:00 CET 0:00:00\n\
Europe/Berlin 2026-03-29T03:00:00+02:00 CEST 1:00:00\n\
Europe/Berlin 2026-10-25T02:59:59+02:00 CEST 1:00:00\n\
Europe/Berlin 2026-10-25T02:00:00+01:00 CET 0:00:00\n\
America/New_York 2026-03-08T01:59:59-05:00 EST 0:00:00\n\
America/New_York 2026-03-08T03:00:00-04:00 EDT 1:00:00\n\
Australia/Lord_Howe 2026-04-05T01:59:59+11:00 +11 0:30:00\n\
Australia/Lord_Howe 2026-04-05T01:30:00+10:30 +1030 0:00:00\n\
Asia/Kolkata 2026-01-01T05:29:59+05:30 IST 0:00:00\n\
Asia/Kolkata 2026-01-01T05:30:00+05:30 IST 0:00:00\n\
America/Sao_Paulo 2025-12-31T20:59:59-03:00 -03 0:00:00\n\
America/Sao_Paulo 2025-12-31T21:00:00-03:00 -03 0:00:00\n\
UTC 2025-12-31T23:59:59+00:00 UTC 0:00:00\n\
UTC 2026-01-01T00:00:00+00:00 UTC 0:00:00\n\
2026-10-25T02:30:00+02:00 2026-10-25T02:30:00+01:00\n\
27575 days, 0:00:00\n\
'No time zone found with key Europe/Nowhere'\n\
'No time zone found with key europe/berlin'\n\
ZoneInfo keys must refer to subdirectories of TZPATH, got: ../etc/passwd\n\
ZoneInfo keys may not be absolute paths, got: /etc/passwd\n\
ZoneInfo keys must be normalized relative paths, got: Europe//Berlin\n\
Europe/Berlin True True\n\
";
    let report = run(source);
    assert_eq!((report.stdout().as_str(), report.stderr().as_str()), (printed, ""));
}
