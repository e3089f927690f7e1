//! The fenced blocks of a page.

/// A block, and what the page says about it.
#[derive(Debug, PartialEq)]
pub struct Block {
    /// The line on which it opens, from 1.
    pub line: usize,
    pub language: String,
    /// The words after the language.
    pub marks: Vec<String>,
    /// From `<!-- file: NAME -->` before it.
    pub file: Option<String>,
    pub text: String,
}

/// The text between `<!-- KEY: ` and ` -->`.
fn comment<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.trim().strip_prefix("<!-- ")?.strip_prefix(key)?.strip_prefix(": ")?.strip_suffix(" -->")
}

/// The blocks in their order, or the line of a fault. `<!-- run: COMMAND -->` is a block that
/// readers do not see.
pub fn blocks(text: &str) -> Result<Vec<Block>, String> {
    let (mut blocks, mut open, mut before) = (Vec::<Block>::new(), false, "");
    for (line, number) in text.lines().zip(1..) {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                let mut words = info.split_whitespace().map(str::to_owned);
                let language = words.next().unwrap_or_default();
                let file = comment(before, "file").map(str::to_owned);
                let marks = words.collect();
                blocks.push(Block { line: number, language, marks, file, text: String::new() });
                open = true;
            }
            None if open => {
                let block = blocks.last_mut().expect("one is open");
                block.text += line;
                block.text += "\n";
            }
            None => {
                if let Some(command) = comment(line, "run") {
                    let (language, text) = ("sh".into(), command.to_owned());
                    blocks.push(Block { line: number, language, marks: vec![], file: None, text });
                }
                if line.starts_with("    ") && line.trim_start().starts_with("huygens ") {
                    return Err(format!(
                        "{number}: a command is in an indented block, not in ```sh"
                    ));
                }
            }
        }
        if !line.trim().is_empty() {
            before = line;
        }
    }
    if open { Err("the last block does not end".into()) } else { Ok(blocks) }
}

#[test]
fn blocks_have_their_language_marks_and_file() {
    let text = "# A\n<!-- run: huygens devices -->\n<!-- file: a.toml -->\n\n```toml\na = 1\n```\n\n\
                ```sh needs-gpu\nhuygens tune\n```\n";
    let blocks = blocks(text).expect("blocks");
    let lines: Vec<_> = blocks.iter().map(|b| (b.line, b.language.as_str())).collect();
    assert_eq!(lines, [(2, "sh"), (5, "toml"), (9, "sh")]);
    assert_eq!((blocks[1].file.as_deref(), blocks[1].text.as_str()), (Some("a.toml"), "a = 1\n"));
    assert_eq!((&blocks[2].marks[..], &blocks[2].file), (&["needs-gpu".to_owned()][..], &None));
}

#[test]
fn commands_outside_fences_and_open_fences_are_faults() {
    assert!(blocks("a\n\n    huygens shot\n").unwrap_err().starts_with("3: "));
    assert!(blocks("```sh\nhuygens shot\n").is_err());
}
