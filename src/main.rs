//! The `huygens` command.

mod cli;
#[cfg(target_os = "linux")]
mod headless;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    headless::begin_again();
    cli::run()
}
