//! Pictures that a command writes by itself, and their metadata.

use super::shell::command;
use crate::{
    cli::failure::Failure,
    io::{
        folder::OutputFolder,
        png::{self, About},
        whole,
    },
    render::{Figure, FigureSize},
};
use std::path::Path;

/// Checks that a picture can be written to a file.
pub(crate) fn may_write(out: &Path, force: bool) -> Result<(), Failure> {
    if out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png")) {
        let message = format!("{} is no .png; pictures are PNG: name it so", out.display());
        return Err(Failure::input(message));
    }
    Ok(whole::may_write(out, force)?)
}

/// The metadata of a picture of this command.
pub(crate) fn about(title: &str, size: FigureSize) -> About {
    About { title: title.to_owned(), command: command(), job: None, dpi: size.dpi() }
}

/// Writes a picture to a folder.
pub(crate) fn write(
    folder: &OutputFolder,
    name: &str,
    figure: &dyn Figure,
    size: FigureSize,
) -> Result<(), Failure> {
    let picture = figure.draw(size).map_err(Failure::run)?;
    Ok(folder.write(name, &png::bytes(&picture, &about(figure.title(), size)))?)
}
