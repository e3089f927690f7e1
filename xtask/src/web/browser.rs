//! Chromium without a screen, which is told what to do as its developer tools tell it: DevTools
//! messages through a pair of pipes.

use crate::{debian, run::shown};
use serde_json::{Value, json};
use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

/// Names a browser to test with.
const BROWSER: &str = "HUYGENS_BROWSER";
/// Those that are looked for.
const KNOWN: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// How long it may take to answer: a picture waits for a software adapter.
const PATIENCE: Duration = Duration::from_secs(120);
/// What lets a software adapter compute, and draw on a canvas that shows it.
const SOFTWARE: [&str; 7] = [
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--use-vulkan=swiftshader",
    "--enable-features=Vulkan",
    "--ignore-gpu-blocklist",
    "--use-gl=angle",
    "--use-angle=vulkan",
];

/// A browser that runs.
pub struct Browser {
    child: Child,
    to: File,
    said: Receiver<Value>,
    calls: u64,
    session: Value,
}

impl Browser {
    /// Starts one with a fresh profile in a folder, with WebGPU or without, and opens an empty page.
    pub fn start(program: &Path, folder: &Path, webgpu: bool) -> Result<Self, String> {
        let cannot = |error: std::io::Error| format!("cannot start {}: {error}", program.display());
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(cannot)?;
        }
        fs::create_dir_all(folder).map_err(cannot)?;
        let pipes = ["to", "from"].map(|name| folder.join(name));
        let made = Command::new("mkfifo").args(&pipes).status().map_err(cannot)?;
        if !made.success() {
            return Err("mkfifo makes no pipes for the browser".into());
        }
        let mut command = Command::new(program);
        command
            .args(["--headless=new", "--no-sandbox", "--no-first-run", "--window-size=1400,1000"])
            .args(if webgpu { &SOFTWARE[..] } else { &["--disable-gpu"] })
            // Nobody watches, and the test goes on all the same.
            .args(["--disable-background-timer-throttling", "--disable-renderer-backgrounding"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .arg("about:blank");
        println!("$ {}", shown(&command));
        let log = File::create(folder.join("browser.log")).map_err(cannot)?;
        // A shell opens the pipes where the browser expects them.
        let child = Command::new("sh")
            .args(["-c", "to=$1 from=$2; shift 2; exec \"$@\" 3<\"$to\" 4>\"$from\"", "sh"])
            .args(&pipes)
            .arg(command.get_program())
            .args(command.get_args())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(cannot)?;
        let to = File::create(&pipes[0]).map_err(cannot)?;
        let from = BufReader::new(File::open(&pipes[1]).map_err(cannot)?);
        let (hear, said) = channel();
        thread::spawn(move || {
            for message in from.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).unwrap_or_default();
                if hear.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Browser { child, to, said, calls: 0, session: Value::Null };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session = browser.call("Target.attachToTarget", attach)?["sessionId"].clone();
        Ok(browser)
    }

    /// Asks for something and returns the answer.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        let cannot = |error: &dyn std::fmt::Display| format!("{method}: the browser: {error}");
        self.to.write_all(format!("{message}\0").as_bytes()).map_err(|error| cannot(&error))?;
        loop {
            let said = self.said.recv_timeout(PATIENCE).map_err(|error| cannot(&error))?;
            if said["id"] == self.calls {
                return match said.get("error") {
                    Some(error) => Err(cannot(error)),
                    None => Ok(said["result"].clone()),
                };
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A browser of this machine, or Debian's unpacked where it can run; or why there is none.
pub fn found() -> Result<PathBuf, String> {
    if cfg!(not(unix)) {
        return Err("a browser is driven through pipes of Unix alone".into());
    }
    let named = env::var_os(BROWSER).map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).collect();
    let all = KNOWN.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    if let Some(found) = named.into_iter().chain(all).find(|path| path.is_file()) {
        return Ok(found);
    }
    let file = "usr/lib/chromium/chromium";
    let packages = ["chromium", "chromium-common"];
    let unpacked = debian::unpacked(&packages, "chromium", &[file], true).and_then(|folder| {
        let program = folder.join(file);
        let starts = Command::new(&program).arg("--version").output();
        match starts.is_ok_and(|output| output.status.success()) {
            true => Ok(program),
            false => Err("Debian's chromium lacks libraries here".into()),
        }
    });
    unpacked.map_err(|why| format!("{why}; install chromium, or name a browser by {BROWSER}"))
}
