//! Three machines with a Patroni cluster: network namespaces that `.ci/replicas.sh` creates.

use std::process::Command;

use crate::nodes::namespace::ip;
use crate::nodes::signals::{Frozen, signal};
use crate::prelude::*;

/// A member of the cluster that takes longer counts as down.
const MEMBER_TIMEOUT: Duration = Duration::from_secs(2);

const ALL: [usize; 3] = [1, 2, 3];

pub struct Machines {
    folder: PathBuf,
    /// The first part of the addresses, such as `10.213.7.`.
    prefix: String,
    http: reqwest::Client,
}

#[derive(Clone, Copy, Debug)]
pub struct Whole {
    pub primary: usize,
    pub standby: usize,
}

impl Machines {
    /// Starts the cluster and waits until it is complete. Blocks.
    pub fn start() -> Machines {
        let name = format!("estimation-replicas-{}", std::process::id());
        let http = crate::web::client().timeout(MEMBER_TIMEOUT).build().expect("a client");
        let mut machines = Machines { folder: std::env::temp_dir().join(name), prefix: String::new(), http };
        machines.prefix = machines.script("start", None).trim().to_owned();
        machines
    }

    pub fn url(&self) -> String {
        let hosts = ALL.map(|machine| format!("{}:5432", self.address(machine))).join(",");
        format!(
            "postgres://postgres:cards@{hosts}/postgres?sslmode=disable&target_session_attrs=read-write&connect_timeout=2"
        )
    }

    pub fn server(&self, machine: usize) -> String {
        format!("postgres://postgres:cards@{}:5432/postgres?sslmode=disable", self.address(machine))
    }

    fn address(&self, machine: usize) -> String {
        format!("{}{machine}", self.prefix)
    }

    /// Waits until every etcd answers, there is a primary, and two standbys follow it, one of them
    /// synchronously.
    pub async fn whole(&self) -> Whole {
        found("the cluster is whole", async || {
            for machine in ALL {
                self.etcd_status(machine).await?;
            }
            let primary = self.primary().await?;
            let (synchronous, standbys) = self.standbys(primary).await?;
            (standbys == 2).then_some(Whole { primary, standby: synchronous? })
        })
        .await
    }

    /// The primary's synchronous standby according to Patroni, and the number of its standbys.
    async fn standbys(&self, primary: usize) -> Option<(Option<usize>, usize)> {
        let cluster = self.http.get(format!("http://{}:8008/cluster", self.address(primary)));
        let cluster: Value = cluster.send().await.ok()?.json().await.ok()?;
        let members = cluster["members"].as_array()?;
        let timeline = &members.iter().find(|member| member["role"] == "leader")?["timeline"];
        let follows = |member: &&Value| member["state"] == "streaming" && member["timeline"] == *timeline;
        let standbys: Vec<&Value> = members.iter().filter(follows).collect();
        let synchronous = standbys.iter().find(|member| member["role"] == "sync_standby");
        let number = |member: &&Value| member["name"].as_str()?.strip_prefix("machine")?.parse().ok();
        Some((synchronous.and_then(number), standbys.len()))
    }

    pub async fn has_standby(&self, primary: usize) {
        let standby = async || self.standbys(primary).await.and_then(|(synchronous, _)| synchronous);
        found("the primary has a synchronous standby", standby).await;
    }

    pub async fn primary_other_than(&self, machine: usize) -> usize {
        let other = async || self.primary().await.filter(|primary| *primary != machine);
        found("another server is primary", other).await
    }

    async fn primary(&self) -> Option<usize> {
        for machine in ALL {
            let asked = self.http.get(format!("http://{}:8008/primary", self.address(machine))).send().await;
            if asked.is_ok_and(|answer| answer.status() == 200) {
                return Some(machine);
            }
        }
        None
    }

    async fn etcd_status(&self, machine: usize) -> Option<Value> {
        let url = format!("http://{}:2379/v3/maintenance/status", self.address(machine));
        self.http.post(url).json(&json!({})).send().await.ok()?.json().await.ok()
    }

    pub async fn etcd_leader(&self) -> usize {
        found("etcd has a leader", async || {
            for machine in ALL {
                let status = self.etcd_status(machine).await?;
                if status["leader"].is_string() && status["leader"] == status["header"]["member_id"] {
                    return Some(machine);
                }
            }
            None
        })
        .await
    }

    /// Makes a machine the primary, as an operator does. Returns when Patroni reports success.
    pub fn switch_over_to(&self, machine: usize) {
        self.script("switchover", Some(machine));
    }

    pub fn start_again(&self, service: &str, machine: usize) {
        self.script(service, Some(machine));
    }

    pub fn kill(&self, machine: usize, name: &str) {
        let is_meant = |process: &u32| {
            fs::read_to_string(format!("/proc/{process}/comm")).is_ok_and(|comm| comm.trim() == name)
        };
        let processes: Vec<u32> = self.processes(machine).into_iter().filter(is_meant).collect();
        assert!(!processes.is_empty(), "no {name} runs on machine {machine}");
        signal(&processes, "-KILL");
    }

    pub fn freeze(&self, machine: usize) -> Frozen {
        Frozen::new(|| self.processes(machine))
    }

    /// Takes the network link of a machine up or down.
    pub fn plug(&self, machine: usize, state: &str) {
        ip(&["link", "set", &self.namespace(machine), state]);
    }

    fn processes(&self, machine: usize) -> Vec<u32> {
        let listed = ip(&["netns", "pids", &self.namespace(machine)]);
        listed.lines().map(|process| process.trim().parse().expect("a number")).collect()
    }

    /// The network namespace of a machine. The host interface has the same name.
    fn namespace(&self, machine: usize) -> String {
        let network = self.prefix.split('.').nth(2).expect("a prefix of addresses");
        format!("cards-{network}-{machine}")
    }

    fn script(&self, action: &str, machine: Option<usize>) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/replicas.sh");
        let mut command = Command::new(script);
        command.arg(action).arg(&self.folder).args(machine.map(|machine| machine.to_string()));
        let done = command.output().expect("the script");
        assert!(done.status.success(), "{action}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("UTF-8")
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        self.script("stop", None);
    }
}
