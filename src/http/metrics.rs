//! `/metrics` for Prometheus, on an address of its own that is not public.

use std::net::TcpListener;
use std::sync::Arc;

use actix_web::dev::Server;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{App as ActixApp, HttpResponse, HttpServer, Responder, get, web};

use estimation_service::services::App;

/// The text format of Prometheus.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

#[get("/metrics")]
async fn scrape(app: web::Data<App>) -> impl Responder {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, FORMAT)).body(app.monitoring.scrape().await)
}

/// The most connections. Few clients scrape a node, and each takes a file descriptor.
pub(super) const CONNECTIONS: usize = 32;

/// Serves the metrics of an application on a bound socket.
///
/// # Errors
/// If the server cannot listen on the socket.
pub fn serve_metrics(app: Arc<App>, listener: TcpListener) -> std::io::Result<Server> {
    let app = web::Data::from(app);
    let server = HttpServer::new(move || ActixApp::new().app_data(app.clone()).service(scrape));
    let server = server.max_connections(CONNECTIONS);
    Ok(server.workers(1).shutdown_timeout(1).disable_signals().listen(listener)?.run())
}
