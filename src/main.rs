//! The `huygens` command.

#[cfg(target_os = "linux")]
mod environment;
#[cfg(target_os = "linux")]
mod pages;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: pages::LargePages = pages::LargePages;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    environment::prepare();
    huygens::run_command()
}
