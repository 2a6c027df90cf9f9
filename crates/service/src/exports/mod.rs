//! Export of all data held about an account, for its owner.

use std::collections::HashMap;
use std::net::IpAddr;

pub mod document;

use self::document::*;
use crate::accounts::changes::AccountChange;
use crate::accounts::{Account, Accounts};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::moderation::{ModerationAction, Report};
use crate::people::PeopleSettings;
use crate::players::rating::{Rating, RatingView};
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::account_changes::AccountChangeRow;
use estimation_store::break_offs::BreakOffRow;
use estimation_store::email_addresses::{EmailAddressRow, Purpose};
use estimation_store::identities::IdentityRow;
use estimation_store::invitations::InvitationRow;
use estimation_store::matchmaking::WaitingRow;
use estimation_store::moderation::ModerationAct;
use estimation_store::notifications::NotificationRow;
use estimation_store::people_settings::PeopleSettingsRow;
use estimation_store::push_subscriptions::PushSubscription;
use estimation_store::ratings::RatingRow;
use estimation_store::reactions::ReactionRow;
use estimation_store::refresh_tokens::TokenTimes;
use estimation_store::relations::RelationRow;
use estimation_store::reports::ReportRow;
use estimation_store::results::ResultRow;
use estimation_store::second_steps::SecondStepRow;
use estimation_store::{
    Connection, GameId, Id, Server, StoreError, account_changes, accounts, break_offs, email_addresses,
    idempotency, identities, invitations, matchmaking, moderation, notifications, people_settings, players,
    public_log, push_subscriptions, ratings, reactions, recovery_codes, refresh_tokens, relations, reports,
    results, role_grants, second_steps, sessions,
};
use uuid::Uuid;

struct Rows {
    sessions: Vec<sessions::SessionRow>,
    tokens: Vec<TokenTimes>,
    places: Vec<players::PlayerRow>,
    results: Vec<ResultRow>,
    break_offs: Vec<BreakOffRow>,
    ratings: Vec<RatingRow>,
    waiting: Option<WaitingRow>,
    requests: Vec<(String, String, RecordTime)>,
    grants: Vec<role_grants::RoleGrant>,
    salts: Vec<(GameId, [u8; 32])>,
    identities: Vec<IdentityRow>,
    email: Option<EmailAddressRow>,
    changes: Vec<AccountChangeRow>,
    recovery_codes: i64,
    second_step: Option<SecondStepRow>,
    second_step_codes: i64,
    choices: Option<String>,
    notices: Vec<NotificationRow>,
    subscriptions: Vec<PushSubscription>,
    relations: Vec<RelationRow>,
    settings: PeopleSettingsRow,
    invitations: Vec<InvitationRow>,
    reactions: Vec<ReactionRow>,
    reports: Vec<ReportRow>,
    acts: Vec<ModerationAct>,
}

fn read(conn: &mut Connection, account: &AccountId) -> Result<Rows, StoreError> {
    let own = std::slice::from_ref(account);
    Ok(Rows {
        relations: relations::of_account(conn, account)?,
        settings: people_settings::find(conn, account)?,
        invitations: invitations::of_account(conn, account)?,
        reactions: reactions::of_account(conn, account)?,
        reports: reports::of_reporter(conn, account, i64::MAX)?,
        acts: moderation::told_acts_of(conn, account, i64::MAX)?,
        identities: identities::of_account(conn, account)?,
        email: email_addresses::find(conn, account)?,
        changes: account_changes::of_account(conn, account, i64::MAX)?,
        recovery_codes: recovery_codes::count(conn, account)?,
        second_step: second_steps::find(conn, account)?,
        second_step_codes: second_steps::count_codes(conn, account)?,
        choices: notifications::choices(conn, own)?.pop().map(|(_, choices)| choices),
        notices: notifications::of_account(conn, account)?,
        subscriptions: push_subscriptions::of_accounts(conn, own)?,
        sessions: sessions::all_of_account(conn, account)?,
        tokens: refresh_tokens::times_of_account(conn, account)?,
        places: players::of_account(conn, account)?,
        results: results::of_account(conn, account)?,
        break_offs: break_offs::of_account(conn, account)?,
        ratings: ratings::of_account(conn, account)?,
        waiting: matchmaking::find(conn, account)?,
        requests: idempotency::of_account(conn, account)?,
        grants: role_grants::of_account(conn, account)?,
        salts: public_log::games::salts_of(conn, account)?,
    })
}

impl Accounts {
    pub async fn export(&self, caller: &Caller) -> Result<Export, Failure> {
        self.export_of(&caller.account, caller.session).await
    }

    /// The export of the account to which a link was mailed. The link is used up.
    ///
    /// # Errors
    /// [`Failure::LinkInvalid`].
    pub async fn export_by_link(&self, token: &str, address: Option<IpAddr>) -> Result<Export, Failure> {
        let (link, hash) = self.followed(token, Purpose::Export, address).await?;
        let export = self.export_of(&link.account_id, Uuid::nil()).await?;
        if !self.database.write(Server, move |conn| email_addresses::redeem_link(conn, &hash)).await? {
            return Err(Failure::LinkInvalid);
        }
        Ok(export)
    }

    async fn export_of(&self, account: &AccountId, session: Uuid) -> Result<Export, Failure> {
        let id = account.clone();
        let load = move |conn: &mut Connection| Ok((accounts::find(conn, &id)?, read(conn, &id)?));
        let (own, rows) = self.database.read(load).await?;
        let own = own.ok_or(Failure::SessionEnded)?;
        let account = Account::from_row(&own);
        let current = session;
        let mut tokens: HashMap<Id, Vec<ExportedToken>> = HashMap::new();
        for TokenTimes { session_id, issued_at, expires_at, used_at } in rows.tokens {
            tokens.entry(session_id).or_default().push(ExportedToken { issued_at, expires_at, used_at });
        }
        let session = |row: sessions::SessionRow| ExportedSession {
            refresh_tokens: tokens.remove(&row.id).unwrap_or_default(),
            id: row.id.0,
            device: row.device,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            ended_at: row.ended_at,
            second_step_passed_at: row.second_step_at,
        };
        let seat = |row: players::PlayerRow| ExportedSeat { game: row.game_id, place: row.place };
        let result = |row: ResultRow| ExportedResult {
            game: row.game_id,
            ruleset: row.ruleset,
            seat: row.seat,
            rank: row.rank,
            total: row.total,
            rounds: row.rounds,
            rounds_made: row.rounds_made,
            forfeited: row.forfeited,
            ended_at: row.ended_at,
        };
        let break_off = |row: BreakOffRow| {
            let BreakOffRow { game_id: game, seq, kind, at, .. } = row;
            ExportedBreakOff { game, seq, kind, at }
        };
        let rating = |row: RatingRow| ExportedRating {
            rating: RatingView::of(Rating { mean: row.mean, deviation: row.deviation }, row.games),
            ruleset: row.ruleset,
        };
        let waiting =
            |row: WaitingRow| ExportedWait { game: row.game_id, since: row.since, bots_at: row.bots_at };
        let request = |(method, path, created_at)| ExportedRequest { method, path, created_at };
        let grant = |grant: role_grants::RoleGrant| ExportedGrant {
            role: grant.role,
            former_role: grant.former_role,
            granted_by: grant.granted_by,
            created_at: grant.created_at,
        };
        let pseudonym = |(game, salt)| ExportedPseudonym { game, salt: Hex(salt) };
        let notice = |row: NotificationRow| ExportedNotice {
            id: row.id.0,
            destination: row.destination,
            kind: row.kind,
            game: row.game_id,
            created_at: row.created_at,
            settled_at: row.settled_at,
        };
        let relation = |RelationRow { kind, other_id, since, .. }: RelationRow| ExportedRelation {
            kind: kind.as_str().to_owned(),
            player: other_id,
            since,
        };
        let invitation = |row: InvitationRow| {
            let InvitationRow { id, game_id: game, sender_id: from, recipient_id: to, created_at } = row;
            ExportedInvitation { id: id.0, game, from, to, created_at }
        };
        let reaction = |ReactionRow { game_id: game, reaction, at, .. }: ReactionRow| ExportedReaction {
            game,
            reaction,
            at,
        };
        let subscription = |row: PushSubscription| {
            let PushSubscription { session_id: session, endpoint, created_at, .. } = row;
            ExportedPushSubscription { session, endpoint, created_at }
        };
        let identity = |row: IdentityRow| ExportedIdentity {
            id: row.id.0,
            issuer: row.issuer,
            subject: row.subject,
            audience: row.audience,
            revocable: row.grant_token.is_some(),
            linked_at: row.linked_at,
        };
        let email = |row: EmailAddressRow| {
            let EmailAddressRow { address, verified_at, .. } = row;
            ExportedEmail { address, verified_at }
        };
        let change = |row| AccountChange::of(row, current);
        let choices = rows.choices.map(|text| serde_json::from_str(&text)).transpose();
        Ok(Export {
            identities: rows.identities.into_iter().map(identity).collect(),
            email: rows.email.map(email),
            account_changes: rows.changes.into_iter().map(change).collect(),
            recovery_codes: rows.recovery_codes,
            second_step_since: rows.second_step.and_then(|row| row.confirmed_at),
            second_step_codes: rows.second_step_codes,
            notification_choices: choices.map_err(|error| Failure::Defect(error.to_string()))?,
            notifications: rows.notices.into_iter().map(notice).collect(),
            push_subscriptions: rows.subscriptions.into_iter().map(subscription).collect(),
            relations: rows.relations.into_iter().map(relation).collect(),
            people_settings: PeopleSettings::of(&rows.settings),
            friend_code: rows.settings.friend_code,
            invitations: rows.invitations.into_iter().map(invitation).collect(),
            reactions: rows.reactions.into_iter().map(reaction).collect(),
            reports: rows.reports.into_iter().map(Report::of).collect::<Result<_, _>>()?,
            moderation: rows.acts.into_iter().map(ModerationAction::of).collect::<Result<_, _>>()?,
            exported_at: RecordTime::of(self.clock.now(), None),
            account,
            password_changes: own.password_changes,
            sessions: rows.sessions.into_iter().map(session).collect(),
            games: rows.places.into_iter().map(seat).collect(),
            results: rows.results.into_iter().map(result).collect(),
            broken_off: rows.break_offs.into_iter().map(break_off).collect(),
            ratings: rows.ratings.into_iter().map(rating).collect(),
            matchmaking: rows.waiting.map(waiting),
            requests: rows.requests.into_iter().map(request).collect(),
            roles: rows.grants.into_iter().map(grant).collect(),
            pseudonyms: rows.salts.into_iter().map(pseudonym).collect(),
        })
    }
}
