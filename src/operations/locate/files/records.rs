//! The folders of several records.

use std::collections::BTreeMap;

/// The folder of each record of a file, by their numbers: `record-7`, and `record-7-2` for the
/// second of one number, in the order of the file.
pub(crate) fn record_folders(records: impl IntoIterator<Item = i64>) -> Vec<String> {
    let mut seen = BTreeMap::new();
    let each = records.into_iter().map(|record| {
        let again = seen.entry(record).or_insert(0);
        *again += 1;
        match *again {
            1 => format!("record-{record}"),
            again => format!("record-{record}-{again}"),
        }
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_one_number_are_counted() {
        assert_eq!(record_folders([7, 3, 7]), ["record-7", "record-3", "record-7-2"]);
    }
}
