//! Memory, file descriptors and processor time of the process, named as in Prometheus' client libraries.
//! Linux only.

use super::Metrics;

#[cfg(target_os = "linux")]
impl Metrics {
    pub(crate) fn process(&self) {
        if let Err(error) = self.read_process() {
            tracing::debug!(%error, "the process cannot be measured");
        }
    }

    fn read_process(&self) -> procfs::ProcResult<()> {
        use procfs::WithCurrentSystemInfo;
        use procfs::process::{LimitValue, Process};

        use super::names;

        let process = Process::myself()?;
        let stat = process.stat()?;
        let ticks = procfs::ticks_per_second() as f64;
        let started = procfs::boot_time_secs()? as f64 + stat.starttime as f64 / ticks;
        for (name, value) in [
            (names::PROCESS_CPU, (stat.utime + stat.stime) as f64 / ticks),
            (names::PROCESS_RESIDENT, stat.rss_bytes().get() as f64),
            (names::PROCESS_VIRTUAL, stat.vsize as f64),
            (names::PROCESS_THREADS, stat.num_threads as f64),
            (names::PROCESS_STARTED, started),
            (names::PROCESS_OPEN_FILES, process.fd_count()? as f64),
        ] {
            self.gauge(name, value);
        }
        if let LimitValue::Value(limit) = process.limits()?.max_open_files.soft_limit {
            self.gauge(names::PROCESS_MAX_FILES, limit as f64);
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
impl Metrics {
    /// Not implemented for this system.
    pub(crate) fn process(&self) {}
}
