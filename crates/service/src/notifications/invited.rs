//! What a notice says of an invitation of a friend.

use serde::Serialize;
use uuid::Uuid;

use super::{NoticeKind, Notifications};
use crate::base::failure::Failure;
use estimation_store::notifications::NotificationRow;
use estimation_store::{Connection, games, invitations};

/// An invitation of a friend to a table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct InvitationNotice {
    /// The invitation's id.
    pub(super) invitation: Uuid,
    /// The link to the table in the web app, which an app can claim.
    pub(super) url: String,
}

impl Notifications {
    /// The invitation that a notice tells of; none for other notices, and for rematches. A notice of an invitation has its
    /// id.
    pub(super) async fn invitation(
        &self,
        row: &NotificationRow,
    ) -> Result<Option<InvitationNotice>, Failure> {
        if row.kind != NoticeKind::Invited.as_str() {
            return Ok(None);
        }
        let id = row.id;
        let read = move |conn: &mut Connection| match invitations::find(conn, id)? {
            Some(invitation) => games::find(conn, invitation.game_id),
            None => Ok(None),
        };
        let Some(game) = self.database.read(read).await? else { return Ok(None) };
        let path = match game.join_code {
            Some(code) => format!("/join/{code}"),
            None => format!("/games/{}", game.id),
        };
        let url = format!("{}{path}", self.public_url.as_deref().unwrap_or_default());
        Ok(Some(InvitationNotice { invitation: id.0, url }))
    }
}
