//! Counts of what makes signatures hard to read: tuples, closures, long functions, public names.

/// A function in a text.
struct Function<'t> {
    name: &'t str,
    /// Its parameters with their types.
    parameters: Vec<&'t str>,
    /// From its first line to its closing brace.
    lines: usize,
}

/// The counts of one or more files, without their tests.
#[derive(Debug, Default, PartialEq)]
pub struct Signatures {
    /// Parameters whose type is a tuple.
    pub tuples: usize,
    /// Parameters that are a `dyn Fn`, `dyn FnMut` or `dyn FnOnce`.
    pub closures: usize,
    /// Public functions, types, constants, modules, re-exports and fields; not those of the crate alone.
    pub public: usize,
    /// Functions of more than [`LONGEST`] lines, with their lines.
    pub long: Vec<(String, usize)>,
}

/// Most lines of a function.
pub const LONGEST: usize = 60;

impl Signatures {
    /// Adds those of a file.
    pub fn add(&mut self, file: &str, text: &str) {
        let text = without_tests(file, text);
        for function in functions(text) {
            let types = function.parameters.iter().filter_map(|parameter| type_of(parameter));
            for of in types {
                let of = of.trim_start_matches(['&', ' ']).trim_start_matches("mut ");
                self.tuples += usize::from(
                    of.starts_with('(') && !of.starts_with("()") && !of.starts_with("(dyn"),
                );
                self.closures += usize::from(of.contains("dyn Fn"));
            }
            if function.lines > LONGEST {
                self.long.push((format!("{file}: {}", function.name), function.lines));
            }
        }
        self.public += text.lines().filter(|line| line.trim_start().starts_with("pub ")).count();
    }
}

/// The text before its unit tests, which stand at the end of a file or in a file of their own.
fn without_tests<'t>(file: &str, text: &'t str) -> &'t str {
    if file.ends_with("tests.rs") || file.contains("/tests/") {
        return "";
    }
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

/// The functions that have a body.
fn functions(text: &str) -> Vec<Function<'_>> {
    let starts = text.match_indices("fn ").filter(|(at, _)| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default();
        line.split_whitespace().all(|word| {
            ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern", "\"C\""]
                .contains(&word)
        })
    });
    starts.filter_map(|(at, _)| function(text, at)).collect()
}

/// The function whose keyword is at a place; `None` if it has no body.
fn function(text: &str, at: usize) -> Option<Function<'_>> {
    let rest = &text[at + 3..];
    let name = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_')?];
    let open = after_generics(rest, name.len())?;
    let parameters = split(&rest[open + 1..]);
    let line = text[..at].rsplit('\n').next()?;
    let indent = " ".repeat(line.len() - line.trim_start().len());
    let closed = open + close(&rest[open..])?;
    let body = closed + rest[closed..].find(['{', ';'])?;
    let end = match rest[body..].lines().next()? {
        first if first.starts_with(';') => return None,
        first if first.ends_with('}') => body,
        _ => rest.find(&format!("\n{indent}}}"))? + 1,
    };
    let lines = rest[..end].matches('\n').count() + 1;
    Some(Function { name, parameters, lines })
}

/// Where the parenthesis of the parameters is, after the parameters of types.
fn after_generics(rest: &str, from: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in rest[from..].char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if !rest[..from + at].ends_with('-') => depth -= 1,
            '(' if depth == 0 => return Some(from + at),
            _ => {}
        }
    }
    None
}

/// Where the parenthesis is closed that a text begins with.
fn close(rest: &str) -> Option<usize> {
    let mut depth = 0;
    rest.char_indices().find_map(|(at, letter)| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        (depth == 0).then_some(at)
    })
}

/// The parts between commas up to a closing parenthesis.
fn split(rest: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' if depth == 0 => {
                parts.push(rest[start..at].trim());
                break;
            }
            '>' if rest[..at].ends_with('-') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(rest[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The type of a parameter; `None` of `self`.
fn type_of(parameter: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, letter) in parameter.char_indices() {
        match letter {
            '(' | '{' | '<' => depth += 1,
            ')' | '}' | '>' => depth -= 1,
            ':' if depth == 0 => return Some(parameter[at + 1..].trim()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_counted() {
        let text = "pub struct S {\n    pub a: u8,\n    pub(crate) b: u8,\n}\n\
            pub fn one((a, b): (u8, u8), f: &mut dyn FnMut(u8, (u8, u8)) -> u8) {\n}\n\
            fn two<F: Fn(u8) -> (u8, u8)>(&self, unit: (), pair: &(u8, u8), f: F) -> (u8, u8) {\n    todo!()\n}\n\
            #[cfg(test)]\nmod tests {\n    pub fn three(a: (u8, u8)) {}\n}\n";
        let mut counts = Signatures::default();
        counts.add("a.rs", text);
        assert_eq!(counts, Signatures { tuples: 2, closures: 1, public: 3, long: Vec::new() });
        let long =
            format!("impl S {{\n    fn long() {{\n{}    }}\n}}\n", "        a();\n".repeat(59));
        counts.add("b.rs", &long);
        assert_eq!(counts.long, [("b.rs: long".to_owned(), 61)]);
        let short = format!("fn short() {{}}\nfn none();\n{long}");
        counts.add("c.rs", &short.replace("long", "other"));
        assert_eq!(counts.long[1..], [("c.rs: other".to_owned(), 61)]);
    }
}
