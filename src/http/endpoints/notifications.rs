//! What a player is notified of, and where.

use actix_web::web::Data;
use actix_web::{delete, get, put};
use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::answer::{Answer, EmptyReply, NoContent, Reply};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use estimation_service::notifications::{NewPushSubscription, NotificationChoices, NotificationSettings};
use estimation_service::services::App;

/// Show what you are notified of
///
/// Returns what you chose about notices, and the key with which a browser subscribes to pushes.
#[utoipa::path]
#[get("/v1/me/notifications")]
pub(super) async fn get_notifications(app: Data<App>, Bearer(caller): Bearer) -> Reply<NotificationSettings> {
    Ok(Answer::json(&app.notifications.settings(&caller).await?))
}

/// Choose what you are notified of
///
/// Replaces all choices. Notices of the quiet hours go when these end, unless they are out of date by then.
#[utoipa::path]
#[put("/v1/me/notifications")]
pub(super) async fn set_notifications(
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(choices): Json<NotificationChoices>,
) -> Reply<NotificationSettings> {
    Ok(Answer::json(&app.notifications.choose(&caller, choices).await?))
}

/// A push subscription, as `PushSubscription.toJSON()` of a browser has it, without `expirationTime`.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct PushSubscriptionRequest {
    /// The URL of the push service.
    #[schema(
        format = "uri",
        pattern = "^https://[!-~]+$",
        min_length = 9,
        max_length = 2000,
        example = "https://fcm.googleapis.com/fcm/send/c1KrmpTuRm0:APA91b"
    )]
    #[garde(length(chars, min = 9, max = 2000))]
    endpoint: String,
    /// The keys with which pushes are encrypted.
    #[garde(dive)]
    keys: PushSubscriptionKeys,
}

/// The keys with which pushes are encrypted, as base64url.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct PushSubscriptionKeys {
    /// The browser's public key: a point of P-256.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{87}=?$",
        min_length = 87,
        max_length = 88,
        example = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )]
    #[garde(length(chars, min = 87, max = 88))]
    p256dh: String,
    /// The browser's authentication secret: 16 bytes.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{22}(==)?$",
        min_length = 22,
        max_length = 24,
        example = "BTBZMqHH6r4Tts7J_aSIgg"
    )]
    #[garde(length(chars, min = 22, max = 24))]
    auth: String,
}

/// Send pushes to this browser
///
/// Sends notices to the browser of this session from now on, in place of a former subscription of the session or of the
/// browser. The subscription ends with the session, and when the push service says that it is gone. An account has at most
/// 16; one more replaces the oldest.
#[utoipa::path]
#[put("/v1/me/push-subscription")]
pub(super) async fn subscribe_to_push(
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(PushSubscriptionRequest { endpoint, keys }): Json<PushSubscriptionRequest>,
) -> EmptyReply {
    let new = NewPushSubscription { endpoint, p256dh: keys.p256dh, auth: keys.auth };
    app.notifications.subscribe(&caller, new).await?;
    Ok(NoContent)
}

/// Send no pushes to this browser
///
/// Ends the push subscription of this session.
#[utoipa::path]
#[delete("/v1/me/push-subscription")]
pub(super) async fn unsubscribe_from_push(app: Data<App>, Bearer(caller): Bearer) -> EmptyReply {
    app.notifications.unsubscribe(&caller).await?;
    Ok(NoContent)
}
