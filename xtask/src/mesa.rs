//! Installs Mesa's lavapipe, a Vulkan driver that needs no GPU, with the system's package manager.

use crate::run::{Outcome, run, shown};
use std::{env, process::Command};

/// Each package manager with what it is to run.
#[rustfmt::skip]
const MANAGERS: [(&str, &[&str]); 4] = [
    ("apt-get", &[
        "env DEBIAN_FRONTEND=noninteractive apt-get update",
        "env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mesa-vulkan-drivers libvulkan1",
    ]),
    ("dnf", &["dnf install -y mesa-vulkan-drivers vulkan-loader"]),
    ("pacman", &["pacman -S --noconfirm vulkan-swrast vulkan-icd-loader"]),
    ("zypper", &["zypper --non-interactive install libvulkan_lvp libvulkan1"]),
];

/// Says what it will run, then runs it.
pub fn install() -> Outcome {
    let commands = commands(&present, is_root())?;
    println!("Mesa's lavapipe, a Vulkan driver that needs no GPU, will now be installed by");
    for command in &commands {
        println!("    {}", shown(command));
    }
    commands.into_iter().try_for_each(|mut command| run(&mut command))
}

/// The commands that install lavapipe with the available package manager.
fn commands(present: &dyn Fn(&str) -> bool, root: bool) -> Result<Vec<Command>, String> {
    let Some((_, lines)) = MANAGERS.iter().find(|(program, _)| present(program)) else {
        let known = MANAGERS.map(|(program, _)| program).join(", ");
        return Err(format!(
            "no known package manager is here ({known}): install a Vulkan loader and driver, \
             for example Mesa's lavapipe"
        ));
    };
    if !root && !present("sudo") {
        return Err(format!(
            "only root can install a Vulkan driver, and there is no sudo: run as root\n    {}",
            lines.join("\n    ")
        ));
    }
    let sudo = if root { None } else { Some("sudo") };
    let command = |line: &&str| {
        let mut words = sudo.into_iter().chain(line.split(' '));
        let mut command = Command::new(words.next().expect("a line has words"));
        command.args(words);
        command
    };
    Ok(lines.iter().map(command).collect())
}

fn present(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(programs: &[&str], root: bool) -> Result<Vec<String>, String> {
        let commands = commands(&|program| programs.contains(&program), root)?;
        Ok(commands.iter().map(shown).collect())
    }

    #[test]
    fn the_package_manager_that_is_there_is_used() {
        for (program, count) in [("apt-get", 2), ("dnf", 1), ("pacman", 1), ("zypper", 1)] {
            let lines = lines(&[program], true).expect("a known package manager");
            assert_eq!(lines.len(), count);
            assert!(lines.iter().all(|line| line.contains(program)), "{lines:?}");
        }
    }

    #[test]
    fn users_other_than_root_use_sudo() {
        let dnf = "dnf install -y mesa-vulkan-drivers vulkan-loader";
        assert_eq!(lines(&["dnf"], true), Ok(vec![dnf.into()]));
        assert_eq!(lines(&["dnf", "sudo"], true), Ok(vec![dnf.into()]));
        assert_eq!(lines(&["dnf", "sudo"], false), Ok(vec![format!("sudo {dnf}")]));
        assert!(lines(&["dnf"], false).unwrap_err().contains(dnf));
    }

    #[test]
    fn without_a_package_manager_it_says_so() {
        let why = lines(&["sudo"], true).unwrap_err();
        assert!(why.contains("apt-get, dnf, pacman, zypper"), "{why}");
    }
}
