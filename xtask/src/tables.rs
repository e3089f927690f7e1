//! Lines of tests as tables of a page.
//!
//! `figure | table | case | engine | value | bar | independent code`, `cell | table | line |
//! column | value` and `ran on | engine |
//! device` anywhere in a line; `tests/common/figures.rs` prints them. In the page a table stands between `<!--
//! table: NAME -->` and `<!-- end -->`.

const OPEN: &str = "<!-- table: ";
const CLOSE: &str = "<!-- end -->";
/// The engines as columns, in this order; others follow.
const ENGINES: [&str; 2] = ["reference", "cpu"];

/// A table: its name, its columns and its lines, each with a name and a value a column.
#[derive(Debug, Default, PartialEq)]
struct Table {
    name: String,
    /// The heading above the names of the lines.
    corner: String,
    columns: Vec<String>,
    lines: Vec<(String, Vec<String>)>,
}

/// All tables of a page.
#[derive(Debug, Default)]
pub struct Tables(Vec<Table>);

impl Tables {
    /// The tables of what tests printed.
    pub fn from_lines(lines: &[String]) -> Self {
        let mut tables = Tables::default();
        for line in lines {
            let after = |mark: &str| line.find(mark).map(|at| &line[at + mark.len()..]);
            let parts = |rest: &str| rest.split('|').map(|part| part.trim().to_owned()).collect();
            if let Some(rest) = after("figure | ") {
                let parts: Vec<String> = parts(rest);
                if let [table, case, engine, value, bar, independent] = &parts[..] {
                    let table = tables.named(table, "case");
                    table.put(case, engine, value);
                    table.put(case, "bar", bar);
                    table.put(case, "independent", independent);
                }
            } else if let Some(rest) = after("cell | ") {
                let parts: Vec<String> = parts(rest);
                match &parts[..] {
                    // Each test has mistakes of its own, so they are lines and not columns.
                    [table, test, what, value] if table == "mistakes" => {
                        let line = format!("{test}: {what}");
                        tables.named(table, "mistake").put(&line, "error (seen above)", value);
                    }
                    [table, line, column, value] => {
                        tables.named(table, "").put(line, column, value)
                    }
                    _ => {}
                }
            } else if let Some(rest) = after("ran on | ") {
                let parts: Vec<String> = parts(rest);
                if let [engine, device] = &parts[..] {
                    tables.named("engines", "engine").put(engine, "device", device);
                }
            }
        }
        tables
    }

    fn named(&mut self, name: &str, corner: &str) -> &mut Table {
        let at = self.0.iter().position(|table| table.name == name).unwrap_or_else(|| {
            let (name, corner) = (name.to_owned(), corner.to_owned());
            self.0.push(Table { name, corner, ..Table::default() });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// The names of tables for which no page has a mark.
    pub fn without_a_mark(&self, pages: &[String]) -> Vec<&str> {
        let marked =
            |name: &str| pages.iter().any(|page| page.contains(&format!("{OPEN}{name} -->")));
        self.0.iter().map(|table| table.name.as_str()).filter(|name| !marked(name)).collect()
    }

    /// A page with these tables between its marks, and the names of those that were not measured
    /// and stay as they are.
    pub fn put_into(&self, page: &str) -> Result<(String, Vec<String>), String> {
        let (mut out, mut kept) = (String::new(), Vec::new());
        let mut rest = page;
        while let Some(at) = rest.find(OPEN) {
            let (before, marked) = rest.split_at(at);
            let length = marked.find(" -->").ok_or("a table's mark does not end in \" -->\"")?;
            let name = &marked[OPEN.len()..length];
            let end = marked.find(CLOSE).ok_or(format!("the table {name:?} has no {CLOSE}"))?;
            out += before;
            match self.0.iter().find(|table| table.name == name) {
                Some(table) => out += &format!("{OPEN}{name} -->\n\n{}\n", table.markdown()),
                None => {
                    kept.push(name.to_owned());
                    out += &marked[..end];
                }
            }
            out += CLOSE;
            rest = &marked[end + CLOSE.len()..];
        }
        out += rest;
        Ok((out, kept))
    }
}

impl Table {
    /// Sets a value; of two for one place the worse stays.
    fn put(&mut self, line: &str, column: &str, value: &str) {
        let place = |names: &mut Vec<String>| {
            names.iter().position(|name| name == column).unwrap_or_else(|| {
                names.push(column.to_owned());
                names.len() - 1
            })
        };
        let column = place(&mut self.columns);
        let at = self.lines.iter().position(|(name, _)| name == line).unwrap_or_else(|| {
            self.lines.push((line.to_owned(), Vec::new()));
            self.lines.len() - 1
        });
        let values = &mut self.lines[at].1;
        values.resize(values.len().max(column + 1), String::new());
        if values[column].is_empty() || number(value) > number(&values[column]) {
            values[column] = value.to_owned();
        }
    }

    /// Engines first, then the others; columns of nothing left out.
    fn markdown(&self) -> String {
        let value =
            |values: &[String], column: usize| values.get(column).cloned().unwrap_or_default();
        let mut columns: Vec<usize> = (0..self.columns.len())
            .filter(|column| self.lines.iter().any(|(_, v)| !value(v, *column).is_empty()))
            .collect();
        columns.sort_by_key(|column| {
            let name = self.columns[*column].as_str();
            let last = ["bar", "independent"].iter().position(|known| *known == name);
            let first = ENGINES.iter().position(|known| *known == name);
            (last.map_or(0, |at| at + 1), first.unwrap_or(ENGINES.len()), *column)
        });
        let head = columns.iter().map(|column| self.columns[*column].clone());
        let mut out = row(&self.corner, head);
        out += &row("---", columns.iter().map(|_| "---".into()));
        for (name, values) in &self.lines {
            out += &row(name, columns.iter().map(|column| value(values, *column)));
        }
        out
    }
}

fn row(name: &str, values: impl Iterator<Item = String>) -> String {
    let values: String = values.map(|value| format!(" {value} |")).collect();
    format!("| {name} |{values}\n")
}

/// The number at the start of a value.
fn number(value: &str) -> f64 {
    value.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(f64::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Tables {
        let lines = [
            "test a ... figure | plane | order 8 | gpu | 0.66 % | 0.77 % | 0.760 %",
            "figure | plane | order 8 | cpu | 0.65 % | 0.77 % | 0.760 %",
            "figure | plane | order 8 | gpu | 0.67 % | 0.77 % | 0.760 %",
            "figure | plane | order 4 | cpu | 6.2 % | - | ",
            "cell | width | 5 cells | CPML | -12 dB",
            "cell | mistakes | plane | silence | 100 % (1.5 %)",
            "ran on | cpu | CPU, 2 threads",
            "nothing of the kind",
        ];
        Tables::from_lines(&lines.map(String::from))
    }

    #[test]
    fn tables_stand_between_their_marks() {
        let page = "# A\n<!-- table: plane -->\nold\n<!-- end -->\ntext\n<!-- table: width --><!-- end -->\n\
                    <!-- table: mistakes -->\n<!-- end --><!-- table: engines -->\n<!-- end -->\n";
        let (page, kept) = tables().put_into(page).expect("all marks are there");
        let plane = "# A\n<!-- table: plane -->\n\n| case | cpu | gpu | bar | independent |\n\
                     | --- | --- | --- | --- | --- |\n\
                     | order 8 | 0.65 % | 0.67 % | 0.77 % | 0.760 % |\n\
                     | order 4 | 6.2 % |  | - |  |\n\n<!-- end -->\ntext\n";
        assert!(page.starts_with(plane), "{page}");
        assert!(page.contains("|  | CPML |\n| --- | --- |\n| 5 cells | -12 dB |"), "{page}");
        assert!(page.contains("| plane: silence | 100 % (1.5 %) |"), "{page}");
        assert!(kept.is_empty() && !page.contains("old"));
        // Once more changes nothing.
        assert_eq!(tables().put_into(&page).expect("all marks").0, page);
    }

    #[test]
    fn unmeasured_lines_stay_and_unmarked_ones_are_errors() {
        let page = "<!-- table: salt -->\nold\n<!-- end -->\n";
        let (same, kept) = Tables::default().put_into(page).expect("nothing to put");
        assert_eq!((same.as_str(), kept), (page, vec!["salt".to_owned()]));
        let two = [page.to_owned(), "<!-- table: width --><!-- table: plane -->".to_owned()];
        assert_eq!(tables().without_a_mark(&two), ["mistakes", "engines"]);
        assert!(tables().put_into("<!-- table: plane -->").unwrap_err().contains("plane"));
    }
}
