//! A network namespace with one link, which can be taken down. Needs root.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Namespace {
    name: String,
    pub address: String,
}

impl Namespace {
    pub fn new() -> Namespace {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = std::process::id().wrapping_mul(7).wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed));
        let (block, host) = (number / 60 % 250, number % 60 * 4);
        let name = format!("estimation-{block}-{host}");
        let (outer, inner) = (format!("10.77.{block}.{}", host + 1), format!("10.77.{block}.{}", host + 2));
        let (outside, inside) = (format!("eo{block}-{host}"), format!("ei{block}-{host}"));
        let namespace = Namespace { name, address: inner };
        ip(&["netns", "add", &namespace.name]);
        ip(&["link", "add", &outside, "type", "veth", "peer", "name", &inside, "netns", &namespace.name]);
        ip(&["address", "add", &format!("{outer}/30"), "dev", &outside]);
        ip(&["link", "set", &outside, "up"]);
        let address = format!("{}/30", namespace.address);
        for inner in [
            &["address", "add", &address, "dev", &inside][..],
            &["link", "set", &inside, "name", "link0"],
            &["link", "set", "lo", "up"],
            &["link", "set", "link0", "up"],
        ] {
            namespace.ip(inner);
        }
        namespace
    }

    pub fn cut_off(&self) {
        self.ip(&["link", "set", "link0", "down"]);
    }

    pub fn connect_again(&self) {
        self.ip(&["link", "set", "link0", "up"]);
    }

    /// The command prefix that runs a program inside.
    pub fn prefix(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.name]
    }

    fn ip(&self, arguments: &[&str]) {
        ip(&[&["-netns", &self.name], arguments].concat());
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "delete", &self.name]).status();
    }
}

pub fn ip(arguments: &[&str]) -> String {
    let done = Command::new("ip").args(arguments).output().expect("the program `ip` (package iproute2)");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "ip {arguments:?}: {told} (only root can make network namespaces)");
    String::from_utf8(done.stdout).expect("UTF-8")
}
