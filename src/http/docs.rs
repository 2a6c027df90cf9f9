//! The spec as it is served.

use actix_web::{HttpResponse, get, web};

/// The spec, rendered once.
pub struct Spec(pub web::Bytes);

#[get("/openapi.json")]
pub(super) async fn openapi_json(spec: web::Data<Spec>) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(spec.0.clone())
}
