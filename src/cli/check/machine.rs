//! The machine: open files, ports and the clock.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use super::Finding;
use crate::cli::serve::ServeFlags;

/// Files that services which keep the time make once they have it.
const SYNCHRONIZED: [&str; 2] = ["/run/systemd/timesync/synchronized", "/run/chrony/chronyd.sock"];

/// What listens for players.
pub(super) const SERVER: &str = "server";

pub(super) fn findings(flags: &ServeFlags) -> Vec<Finding> {
    let ports = [(SERVER, flags.listen), ("metrics", flags.metrics_listen)];
    let mut findings = vec![files(flags)];
    findings.extend(ports.map(|(name, address)| port(name, address)));
    findings.push(timekeeper(&SYNCHRONIZED));
    findings
}

/// The limit to which `serve` raises its own.
fn files(flags: &ServeFlags) -> Finding {
    let files = rlimit::Resource::NOFILE.get_hard().unwrap_or(0);
    match flags.connections.limits(files, usize::from(flags.workers)) {
        Err(error) => Finding::problem(
            "files",
            error.to_string(),
            "each connection of a player is an open file",
            "set `LimitNOFILE=65536` in the unit, or `ulimit -n 65536` before the start",
        ),
        Ok(limits) if limits.total < 1_000 => Finding::warning(
            "files",
            format!("the open-file limit {files} leaves {} connections", limits.total),
            "each player at a table holds a connection; more players get 503",
            "set `LimitNOFILE=65536` in the unit, or `ulimit -n 65536` before the start",
        ),
        Ok(limits) => Finding::good("files", format!("room for {} connections", limits.total)),
    }
}

fn port(name: &str, address: SocketAddr) -> Finding {
    let Err(error) = TcpListener::bind(address) else {
        return Finding::good("ports", format!("the {name} can listen on {address}"));
    };
    if error.kind() == std::io::ErrorKind::AddrInUse && answers(address) {
        if name == SERVER
            && let Err(why) = is_ready(address)
        {
            return Finding::problem(
                SERVER,
                format!("the server that runs on {address} is not ready: {why}"),
                "it refuses what players do",
                "\"Health checks\" in docs/operations.md has the remedy for each reason; \
                 after `database-replaced`, put the files back before the restart",
            );
        }
        return Finding::good("ports", format!("a running server answers on {address} ({name})"));
    }
    Finding::problem(
        "ports",
        format!("the {name} cannot listen on {address}: {error}"),
        "nobody can reach the server there",
        "end the program that listens there, or choose another address or a port above 1023",
    )
}

/// Asks the server at an address whether it is ready. An address for all interfaces is asked at this machine's own.
pub(super) fn is_ready(mut address: SocketAddr) -> Result<(), String> {
    if address.ip().is_unspecified() {
        let local = if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(local);
    }
    let agent = estimation_command::agent(Some(Duration::from_secs(5)));
    let mut answer =
        agent.get(format!("http://{address}/readyz")).call().map_err(|error| error.to_string())?;
    match answer.status().as_u16() {
        200 => Ok(()),
        _ => Err(answer.body_mut().read_to_string().unwrap_or_default()),
    }
}

/// Whether something at an address answers as this program does, at `/healthz` or `/metrics`.
fn answers(address: SocketAddr) -> bool {
    let agent = estimation_command::agent(Some(Duration::from_secs(2)));
    let has = |path: &str, text: &str| {
        let answer = agent.get(format!("http://{address}{path}")).call();
        let body = answer.ok().and_then(|mut answer| answer.body_mut().read_to_string().ok());
        body.is_some_and(|body| body.contains(text))
    };
    has("/healthz", "\"status\"") || has("/metrics", "estimation_")
}

/// Whether a service keeps the machine's time, where the system tells.
fn timekeeper(signs: &[&str]) -> Finding {
    if signs.iter().any(|sign| Path::new(sign).exists()) {
        return Finding::good("clock", "a service keeps the time of this machine");
    }
    Finding::warning(
        "clock",
        "no sign that a service keeps the time of this machine",
        "a node whose clock is wrong ends turns late, or is not ready",
        "run NTP: `timedatectl set-ntp true`, or install chrony",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::check::Verdict;

    #[test]
    fn a_timekeeper_is_known_by_its_files() {
        assert_eq!(timekeeper(&["/no/such/file", "/"]).verdict, Verdict::Good);
        assert_eq!(timekeeper(&["/no/such/file"]).verdict, Verdict::Warning);
    }

    #[test]
    fn a_port_of_another_program_is_a_problem() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        // It accepts no connection, so that the question fails.
        assert_eq!(port("server", address).verdict, Verdict::Problem);
        drop(taken);
        assert_eq!(port("server", address).verdict, Verdict::Good);
    }
}
