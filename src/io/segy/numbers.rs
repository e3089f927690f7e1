//! Numbers as messages list them.

/// Runs that are shown.
const SHOWN: usize = 8;

/// Numbers in their order, three or more in a row by the first and the last: `2, 5 to 9, 12`. Of
/// many the first few.
pub fn listed(numbers: impl IntoIterator<Item = i64>) -> String {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    let mut more = "";
    for number in numbers {
        let shown = runs.len();
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ if shown == SHOWN => {
                more = ", ...";
                break;
            }
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): &(i64, i64)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_listed_by_their_ends() {
        assert_eq!(listed([2, 5, 6, 7, 9, 10]), "2, 5 to 7, 9, 10");
        assert_eq!(listed([-1, 0, 1]), "-1 to 1");
        assert_eq!(listed((0..20).map(|n| 2 * n)), "0, 2, 4, 6, 8, 10, 12, 14, ...");
        assert_eq!(listed([]), "");
    }
}
