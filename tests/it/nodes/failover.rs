//! Several servers in one URL: all connections of a node go to the server that takes writes, before and after
//! a failover.

use super::cluster::Cluster;
use crate::prelude::*;

const PATIENCE: Duration = Duration::from_secs(60);

fn listeners(server: &Cluster) -> i64 {
    server.processes_where("application_name = 'estimation-listener'")
}

async fn both_listen(server: &Cluster) {
    let begun = Instant::now();
    while listeners(server) != 2 {
        assert!(begun.elapsed() < PATIENCE, "{} listen", listeners(server));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn notices_follow_the_primary() {
    let primary = Cluster::new();
    let standby = primary.standby();
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres?target_session_attrs=read-write",
        standby.port(),
        primary.port()
    );
    let site = Site::at(&url);
    let nodes = [site.node(), site.node()];
    // The URL lists a live standby first.
    both_listen(&primary).await;
    primary.crash();
    standby.promote();
    both_listen(&standby).await;
    for node in &nodes {
        tokio::time::timeout(PATIENCE, node.is_ready_again()).await.expect("a ready node");
    }
}
