//! The date of a record.

use super::{TraceHeader, mark::is_dead, trace};
use jiff::{Timestamp, ToSpan, civil, tz::Offset};

/// The time of a shot in trace headers (bytes 157-168). Without a shot it is the time from which the
/// delay to the first sample counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// The year, 0 if there is no date.
    pub year: i64,
    /// Day of the year, from 1.
    pub day: i64,
    /// Hour, minute and second.
    pub time: [i64; 3],
    /// Code of the time basis.
    pub basis: i64,
    /// True if the traces with a date have different ones.
    pub differs: bool,
}

/// Why a clock gives no UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum NotUtc {
    #[error("its traces have different dates (bytes 157-166)")]
    Several,
    #[error("its dates are of {clock} (bytes 167-168 say {basis})")]
    Clock { clock: &'static str, basis: i64 },
    #[error("year {year}, day {day} and {hour}:{minute}:{second} are no date (bytes 157-166)")]
    NoDate { year: i64, day: i64, hour: i64, minute: i64, second: i64 },
}

impl Clock {
    /// The clock of a header; none of a dead trace.
    pub(super) fn of(header: &TraceHeader) -> Self {
        if is_dead(header.get(trace::IDENTIFICATION)) {
            return Clock::default();
        }
        Clock {
            year: header.get(trace::YEAR),
            day: header.get(trace::DAY),
            time: [trace::HOUR, trace::MINUTE, trace::SECOND].map(|field| header.get(field)),
            basis: header.get(trace::TIME_BASIS),
            differs: false,
        }
    }

    /// Takes the clock of one more trace of the record; one without a year adds nothing.
    pub(crate) fn include(&mut self, other: Clock) {
        match (self.year, other.year) {
            (_, 0) => {}
            (0, _) => *self = other,
            _ => self.differs |= other.differs || Clock { differs: self.differs, ..other } != *self,
        }
    }

    /// The time in UTC; `None` without a date. A clock that does not name its basis is taken to be UTC.
    ///
    /// # Errors
    ///
    /// If the traces differ, if the basis is local time, GPS or another, or if the numbers are no
    /// date.
    pub fn utc(&self) -> Result<Option<Timestamp>, NotUtc> {
        let Clock { year, day, time: [hour, minute, second], basis, differs } = *self;
        if differs {
            return Err(NotUtc::Several);
        }
        if year == 0 {
            return Ok(None);
        }
        match basis {
            1 => return Err(NotUtc::Clock { clock: "local time", basis }),
            3 => return Err(NotUtc::Clock { clock: "a clock of its own", basis }),
            5 => return Err(NotUtc::Clock { clock: "GPS, which has no leap seconds", basis }),
            _ => {}
        }
        let no_date = NotUtc::NoDate { year, day, hour, minute, second };
        // A leap second is the last of a day.
        let seconds = if (hour, minute) == (23, 59) { 0..61 } else { 0..60 };
        let fits = (1..=366).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && seconds.contains(&second)
            // Years of two digits have no century.
            && year >= 1900;
        let first = i16::try_from(year).ok().and_then(|year| civil::Date::new(year, 1, 1).ok());
        let began = first.filter(|_| fits).and_then(|first| {
            let span = (day - 1).days().hours(hour).minutes(minute).seconds(second);
            let at = first.to_datetime(civil::Time::midnight()).checked_add(span).ok()?;
            // Day 366 of a year with 365.
            let same_year = (day - 1).days();
            let ends =
                first.checked_add(same_year).is_ok_and(|date| i64::from(date.year()) == year);
            Offset::UTC.to_timestamp(at).ok().filter(|_| ends)
        });
        began.map(Some).ok_or(no_date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ByteOrder;

    fn clock(numbers: [i64; 6]) -> Clock {
        let mut header = TraceHeader::new(ByteOrder::Big);
        let [year, day, hour, minute, second, basis] = numbers;
        for (field, value) in [
            (trace::YEAR, year),
            (trace::DAY, day),
            (trace::HOUR, hour),
            (trace::MINUTE, minute),
            (trace::SECOND, second),
            (trace::TIME_BASIS, basis),
        ] {
            header.set(field, value).expect("it fits");
        }
        Clock::of(&header)
    }

    /// Dates by `date -u -d "2024-01-01 +59 days 13:14:15"`.
    #[test]
    fn dates_of_headers_are_utc() {
        let at = |numbers| clock(numbers).utc().map(|at| at.map(|at| at.to_string()));
        let is = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(at([2024, 60, 13, 14, 15, 4]), is("2024-02-29T13:14:15Z"));
        assert_eq!(at([2023, 60, 13, 14, 15, 0]), is("2023-03-01T13:14:15Z"));
        assert_eq!(at([2024, 366, 23, 59, 59, 2]), is("2024-12-31T23:59:59Z"));
        assert_eq!(at([2016, 366, 23, 59, 60, 4]), is("2017-01-01T00:00:00Z"));
        assert_eq!(at([0, 0, 0, 0, 0, 0]), Ok(None));
        for wrong in [
            [2023, 366, 0, 0, 0, 4],
            [2023, 0, 0, 0, 0, 4],
            [2023, 1, 24, 0, 0, 4],
            [2023, 1, 0, 0, -1, 4],
            [2016, 366, 22, 59, 60, 4],
            [2016, 366, 23, 58, 60, 4],
            [87, 1, 0, 0, 0, 4],
        ] {
            assert!(matches!(at(wrong), Err(NotUtc::NoDate { .. })), "{wrong:?}");
        }
        for basis in [1, 3, 5] {
            let refused = at([2023, 1, 0, 0, 0, basis]);
            assert!(matches!(refused, Err(NotUtc::Clock { .. })), "{basis}");
        }
    }

    #[test]
    fn traces_of_different_dates_have_none() {
        let mut one = clock([2024, 60, 13, 14, 15, 4]);
        one.include(clock([2024, 60, 13, 14, 15, 4]));
        assert!(one.utc().is_ok());
        one.include(clock([2024, 60, 13, 14, 16, 4]));
        one.include(clock([2024, 60, 13, 14, 15, 4]));
        assert_eq!(one.utc(), Err(NotUtc::Several));
    }

    /// Recorders leave the date of dead and auxiliary traces empty, or the time alone.
    #[test]
    fn traces_without_a_year_do_not_count() {
        let dated = clock([2024, 60, 13, 14, 15, 4]);
        let time_alone = clock([0, 0, 7, 8, 9, 0]);
        for order in [[dated, time_alone], [time_alone, dated]] {
            let mut record = order[0];
            record.include(order[1]);
            assert_eq!(record, dated);
        }
        let mut header = TraceHeader::new(ByteOrder::Big);
        header.set(trace::YEAR, 1970).expect("it fits");
        header.set(trace::IDENTIFICATION, 2).expect("it fits");
        assert_eq!(Clock::of(&header), Clock::default());
    }
}
