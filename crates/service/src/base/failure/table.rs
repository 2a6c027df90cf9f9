//! The table of refusals: each code with its status, its data, what to do about it, and its texts in both languages.

use serde_json::{Map, Value, json};

use super::{ProblemText, ProblemType};
use crate::base::field_error::FieldErrors;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::score::ImpossibleRound;
use estimation_record::RecordTime;
use estimation_store::role::Role;
use estimation_store::{GameId, StoreError};

/// A row is
///
/// ```text
/// STATUS VARIANT { DATA } "code"
///     "What it means and what to do about it."
///     en "Title" "Detail with {members}."
///     ar "Title" "Detail with {members}.";
/// ```
///
/// The data become members of the problem. Those behind `;` are optional. What stands behind `|` is serialised into the
/// members that its list names. What stands behind `=>` is not published. A variant in brackets is a rejection of the rules,
/// whose fields become members, under another name if one follows the colon. English has no detail where the place that
/// fails makes it for the case.
macro_rules! refusals {
    ($(
        $status:literal
        $($variant:ident $({
            $($member:ident: $type:ty),*
            $(; $($maybe:ident: $maybe_type:ty),+)?
            $(| $flat:ident: $flat_type:ty [$($always:ident),+; $($at_times:ident),+])?
            $(=> $kept:ident: $kept_type:ty)?
        })?)?
        $([$rejection:ident $({ $($field:ident $(: $renamed:ident)?),+ })?])?
        $code:literal $about:literal
        en $title:literal $($detail:literal)?
        ar $arabic_title:literal $arabic_detail:literal;
    )+) => {
        /// Why a use case failed. Nothing has changed, unless the store says that the outcome is unknown.
        #[derive(Debug)]
        pub enum Failure {
            $($($variant $({
                $($member: $type,)*
                $($($maybe: Option<$maybe_type>,)+)?
                $($flat: $flat_type,)?
                $($kept: $kept_type,)?
            })?,)?)+
            /// The rules of the game or the table refuse the command.
            Rejected(Rejection),
            /// It exists, but the caller may not know of it. Answered like [`Failure::NotFound`]; the security log
            /// distinguishes the two.
            Withheld { what: &'static str },
            /// There is a block between the account and a player of the game. Answered like a game that does not exist.
            Blocked,
            /// Too many passwords are being hashed.
            HashingOverloaded,
            /// A log holds an event that this version cannot read. `seq` is the first one.
            UnreadableLog { game: GameId, seq: u64, detail: String },
            /// The log of a game does not verify, or its stored state is not what the log makes. `finding` is the
            /// verifier's first.
            UnsoundLog { game: GameId, finding: String },
            Store(StoreError),
            /// The key ring cannot be used, for this reason.
            Keys(String),
            Defect(String),
        }

        /// Every kind of problem, in order of status.
        pub const PROBLEMS: &[ProblemType] = &[$(ProblemType {
            code: $code,
            status: $status,
            about: $about,
            members: &[
                $($($(stringify!($member),)* $($(stringify!($always),)+)?)?)?
                $($($(published!(stringify, $field $($renamed)?),)+)?)?
            ],
            perhaps: &[$($($($(stringify!($maybe),)+)? $($(stringify!($at_times),)+)?)?)?],
            english: ProblemText { title: $title, detail: first!($(Some($detail),)? None,) },
            arabic: ProblemText { title: $arabic_title, detail: Some($arabic_detail) },
        }),+];

        /// The positions in [`PROBLEMS`].
        enum Row {
            $($($variant)? $($rejection)?,)+
        }

        impl Failure {
            /// The row of the table.
            pub fn kind(&self) -> &'static ProblemType {
                let row = match self {
                    $($(Failure::$variant { .. } => Row::$variant,)?)+
                    Failure::Rejected(rejection) => match rejection {
                        $($(Rejection::$rejection { .. } => Row::$rejection,)?)+
                    },
                    Failure::Withheld { .. } | Failure::Blocked => Row::NotFound,
                    Failure::HashingOverloaded => Row::Unavailable,
                    Failure::UnreadableLog { .. } | Failure::UnsoundLog { .. } => Row::Unavailable,
                    Failure::Store(StoreError::OutcomeUnknown { .. }) => Row::OutcomeUnknown,
                    Failure::Store(StoreError::Corrupt { .. } | StoreError::NewerGame { .. }) => Row::Unavailable,
                    Failure::Store(error) if error.is_unavailable() => Row::Unavailable,
                    Failure::Store(_) | Failure::Keys(_) | Failure::Defect(_) => Row::InternalError,
                };
                &PROBLEMS[row as usize]
            }

            /// The members of the problem as JSON.
            pub fn members(&self) -> Map<String, Value> {
                let mut members = Map::new();
                match self {
                    $($(Failure::$variant $({ $($member,)* $($($maybe,)+)? $($flat,)? .. })? => {$(
                        $(members.insert(stringify!($member).to_owned(), json!($member));)*
                        $($(members.extend(
                            $maybe.as_ref().map(|value| (stringify!($maybe).to_owned(), json!(value))),
                        );)+)?
                        $(if let Value::Object(own) = json!($flat) {
                            members.extend(own);
                        })?
                    )?})?)+
                    Failure::Rejected(rejection) => match rejection {
                        $($(Rejection::$rejection $({ $($field $(: $renamed)?),+ })? => {$(
                            $(members.insert(
                                published!(stringify, $field $($renamed)?).to_owned(),
                                json!(published!(identity, $field $($renamed)?)),
                            );)+
                        )?})?)+
                    },
                    Failure::Withheld { what } => {
                        members.insert("what".to_owned(), json!(what));
                    }
                    Failure::Blocked => {
                        members.insert("what".to_owned(), json!("game"));
                    }
                    _ => {}
                }
                members
            }
        }
    };
}

/// The name under which a field of a rejection is published, passed to another macro.
macro_rules! published {
    ($macro:ident, $field:ident) => {
        $macro!($field)
    };
    ($macro:ident, $field:ident $renamed:ident) => {
        $macro!($renamed)
    };
}

macro_rules! identity {
    ($name:ident) => {
        $name
    };
}

macro_rules! first {
    ($first:expr, $($other:expr,)*) => {
        $first
    };
}

refusals! {
    400 MalformedJson { ; line: usize, column: usize } "malformed-json"
        "The body is not JSON. Send one JSON object, in UTF-8."
        en "Malformed JSON"
        ar "نص JSON غير سليم" "المتن ليس JSON سليمًا.";
    400 MalformedPath { ; errors: FieldErrors } "malformed-path"
        "A part of the path has the wrong form. Ids are UUIDs. The member `errors` names each faulty part."
        en "Malformed path"
        ar "مسار غير سليم" "جزء من المسار غير سليم.";
    400 MalformedQuery { ; parameter: String, errors: FieldErrors } "malformed-query"
        "The query has an unknown parameter, an invalid value, or a cursor of another list. The member `errors` names the first parameter that cannot be read, or each that is out of its range."
        en "Malformed query"
        ar "استعلام غير سليم" "أحد معاملات الاستعلام غير معروف أو قيمته غير مسموحة.";
    400 MalformedHeader { header: &'static str } "malformed-header"
        "A header has an invalid value. The member `header` names it."
        en "Malformed header"
        ar "ترويسة غير سليمة" "قيمة الترويسة {header} غير سليمة.";
    400 NotSupported { header: &'static str } "not-supported"
        "The service does not support something that the request asks for. The member `header` names the header."
        en "Not supported"
        ar "غير مدعوم" "الخدمة لا تدعم ما تطلبه الترويسة {header}.";
    400 MalformedRequest "malformed-request"
        "The request is not an HTTP/1.1 request that the service can read. The server closes the connection after this answer."
        en "Malformed request" "The request is not an HTTP/1.1 request that the service can read."
        ar "طلب غير سليم" "الطلب ليس طلب HTTP/1.1 تستطيع الخدمة قراءته.";
    401 TokenMissing "token-missing"
        "The request needs an access token: `Authorization: Bearer …`. Sign in first."
        en "Token missing" "The request has no access token."
        ar "رمز الدخول مفقود" "لا يوجد رمز دخول في الطلب.";
    401 TokenInvalid "token-invalid"
        "The access token is not valid for this service. Sign in again."
        en "Token invalid" "The access token is not valid for this service."
        ar "رمز الدخول غير صالح" "رمز الدخول غير صالح لهذه الخدمة.";
    401 TokenExpired "token-expired"
        "The access token has expired. Refresh the session."
        en "Token expired" "The access token has expired."
        ar "انتهت صلاحية رمز الدخول" "انتهت صلاحية رمز الدخول.";
    401 SessionEnded "session-ended"
        "The session of the access token has ended, or the account's role has changed. Refresh the session. If the server refuses that, sign in again."
        en "Session ended" "The session of the access token has ended."
        ar "انتهت الجلسة" "انتهت الجلسة التي يخصها رمز الدخول.";
    401 WrongCredentials "wrong-credentials"
        "The username and the password do not match."
        en "Wrong credentials" "The username or the password is wrong."
        ar "بيانات الدخول خاطئة" "اسم المستخدم أو كلمة المرور غير صحيحة.";
    401 RecoveryCodeInvalid "recovery-code-invalid"
        "No account has the recovery code or the link: it was used, has expired, newer ones have replaced it, or it is mistyped."
        en "Wrong code or link" "No account has this recovery code, or the link has expired or was used."
        ar "رمز أو رابط خاطئ" "ليس لأي حساب رمز الاسترداد هذا، أو انتهت صلاحية الرابط أو استُخدم.";
    401 LinkInvalid "link-invalid"
        "The link of the mail is unknown, has expired or was used, or a newer one has replaced it. Ask for another one."
        en "Link refused" "The link is unknown, has expired or was used."
        ar "الرابط مرفوض" "الرابط غير معروف أو انتهت صلاحيته أو استُخدم.";
    401 RefreshTokenInvalid "refresh-token-invalid"
        "The refresh token is unknown or has expired, or its session has ended. Sign in again."
        en "Refresh token invalid" "The refresh token is unknown or has expired."
        ar "رمز التجديد غير صالح" "رمز التجديد غير معروف أو انتهت صلاحيته.";
    401 RefreshTokenReused "refresh-token-reused"
        "The refresh token was used before, and so was a token that replaced it. The server ended the session, because another client may have the token. Sign in again."
        en "Refresh token reused" "The refresh token was used before, so the session has ended."
        ar "استُخدم رمز التجديد من قبل" "استُخدم رمز التجديد من قبل، لذلك أُنهيت الجلسة.";
    401 RecentSignInRequired { max_age: u64 } "recent-sign-in-required"
        "The operation requires that the player signed in at most `max_age` seconds ago. Ask for the password, sign in with `POST /v1/sessions` or with the issuer, and send the request again with the new access token. A refresh does not help. The present session goes on."
        en "Recent sign-in required" "This operation needs a sign-in within the last {max_age} seconds."
        ar "يلزم تسجيل دخول حديث" "تتطلب هذه العملية تسجيل دخول خلال آخر {max_age} ثانية.";
    403 [NotSeated] "not-seated"
        "Only a seated player can do that. Take a seat first."
        en "Not seated" "You do not have a seat at this table."
        ar "لست جالسًا على الطاولة" "ليس لك مقعد على هذه الطاولة.";
    403 [NotHost] "not-host"
        "Only the host of the table can do that."
        en "Not the host" "Only the host of the table can do this."
        ar "لست المضيف" "هذا متاح لمضيف الطاولة فقط.";
    403 SpectatorsBarred "spectators-barred"
        "This table does not allow spectators during the game."
        en "No spectators" "This game has no spectators."
        ar "المشاهدة غير مسموحة" "لا يُسمح بالمشاهدين في هذه اللعبة.";
    403 WrongPassword "wrong-password"
        "The password in the request is not the account's password."
        en "Wrong password" "The password is wrong."
        ar "كلمة المرور خاطئة" "كلمة المرور غير صحيحة.";
    403 IdTokenInvalid { reason: &'static str } "id-token-invalid"
        "The server does not accept the ID token. The member `reason` says why: `malformed`, `algorithm`, `unknown-key`, `signature`, `issuer`, `audience`, `nonce`, `expired`, `not-yet-valid` or `subject`. Get a nonce with `POST /v1/nonces`, and a new token from the issuer."
        en "ID token refused" "The ID token is not accepted: {reason}."
        ar "رمز الهوية مرفوض" "رمز الهوية غير مقبول: {reason}.";
    403 NonceInvalid "nonce-invalid"
        "The nonce is not of this server, has expired or was used. Get one with `POST /v1/nonces`, and a new ID token for it."
        en "Nonce refused" "The nonce is unknown, has expired or was used."
        ar "الرقم العابر مرفوض" "الرقم العابر غير معروف أو انتهت صلاحيته أو استُخدم.";
    403 AuthorizationCodeInvalid "authorization-code-invalid"
        "The issuer refuses the authorization code: it was used, has expired, or does not belong to the `code_verifier`. Send the player to the issuer again."
        en "Authorization code refused" "The issuer refuses the authorization code."
        ar "رمز الإذن مرفوض" "ترفض جهة الهوية رمز الإذن.";
    403 RoleRequired { role: Role } "role-required"
        "The operation requires another role. The member `role` names it."
        en "Role required" "This operation needs the role {role}."
        ar "الصلاحية مطلوبة" "تتطلب هذه العملية الدور {role}.";
    403 OwnRole "own-role"
        "Nobody changes their own role. Ask another admin."
        en "Own role" "You cannot change your own role."
        ar "صلاحيتك أنت" "لا يمكنك تغيير دورك.";
    403 SecondStepRequired { set_up: bool; max_age: u64 } "second-step-required"
        "The account or its role has a second step. If `set_up` is true, ask for a code of the authenticator app, or one on paper, and send it to `POST /v1/sessions/current/second-step`; then send the request again. Where `max_age` is present, the session must have passed it within that many seconds. If `set_up` is false, set one up with `POST /v1/me/second-step`."
        en "Second step required" "This needs a code of the authenticator app, or one on paper."
        ar "الخطوة الثانية مطلوبة" "يتطلب هذا رمزا من تطبيق المصادقة أو رمزا من الورقة.";
    403 WrongSecondStep "wrong-second-step"
        "The code is wrong, or was used before. A code of the app works for a minute and a half, and once."
        en "Wrong code" "The code is wrong, or was used before."
        ar "رمز خاطئ" "الرمز خاطئ أو استُخدم من قبل.";
    403 LinkTooEarly { works_at: RecordTime } "link-too-early"
        "A moderator gave this link, and it does not work yet. The member `works_at` says from when on."
        en "Link does not work yet" "The link works from {works_at} on."
        ar "الرابط لا يعمل بعد" "يعمل الرابط ابتداء من {works_at}.";
    403 AccountProtected "account-protected"
        "Only admins act on accounts with a role. Nobody acts on their own account, decides reports of their own or about themselves, an appeal against their own measure, or the end of a game in which they sat."
        en "Account protected" "Only admins act on accounts with a role, and nobody on their own account, reports or games."
        ar "حساب محمي" "لا يتصرف في الحسابات ذات الدور إلا المديرون، ولا يتصرف أحد في حسابه أو بلاغاته أو ألعابه.";
    403 AuditorBarred "auditor-barred"
        "You have read the record of this game as an auditor, so you cannot play in it."
        en "Auditor barred" "You cannot play in a game whose record you have read as an auditor."
        ar "المدقق ممنوع من اللعب" "لا يمكنك اللعب في لعبة قرأت سجلها بصفتك مدققًا.";
    403 Suspended { ; until: RecordTime } "suspended"
        "A moderator suspended or banned the account, so it takes no seats. The member `until` says until when; without it there is no end. `GET /v1/me/standing` has the reason, and `POST /v1/appeals` asks the moderators to look again."
        en "Account suspended" "A moderator suspended the account."
        ar "الحساب موقوف" "أوقف مشرف هذا الحساب.";
    403 Muted { ; until: RecordTime } "muted"
        "A moderator muted the account, so it does not react, invite, or ask for friendship. The member `until` says until when; without it there is no end. `GET /v1/me/standing` has the reason."
        en "Account muted" "A moderator muted the account."
        ar "الحساب مكتوم" "كتم مشرف هذا الحساب.";
    403 Banned { ; until: RecordTime } "banned"
        "An account with this identity or address was banned and then deleted. The member `until` says until when; without it there is no end."
        en "Banned" "An account with this identity or address was banned."
        ar "محظور" "حُظر حساب بهذه الهوية أو بهذا العنوان.";
    404 NotFound { what: &'static str } "not-found"
        "The resource does not exist, or you may not know of it. The member `what` names its kind."
        en "Not found" "The {what} does not exist."
        ar "غير موجود" "لم يُعثر على المطلوب ({what}).";
    405 MethodNotAllowed "method-not-allowed"
        "The path exists, but does not support the method. The header `Allow` lists the supported methods."
        en "Method not allowed" "The path does not support this method."
        ar "الطريقة غير مسموحة" "المسار لا يدعم هذه الطريقة.";
    408 RequestTimeout "request-timeout"
        "The head or the body of the request took too long to arrive. Send the request without pauses. The server closes the connection after this answer."
        en "Request timeout"
        ar "انتهت مهلة الطلب" "لم يصل الطلب كاملًا في الوقت المحدد.";
    409 RequestInProgress "request-in-progress"
        "The server is still handling a request with the same idempotency key. Try again after `Retry-After` seconds."
        en "Request in progress" "The server is still handling a request with this idempotency key."
        ar "الطلب قيد التنفيذ" "ما زال الخادم يعالج طلبًا بالمفتاح نفسه.";
    409 UsernameTaken "username-taken"
        "Another account has that username. Upper and lower case count as equal. Choose another."
        en "Username taken" "Another account has this username."
        ar "اسم المستخدم محجوز" "اسم المستخدم هذا لحساب آخر.";
    409 NotAGuest "not-a-guest"
        "The account already has a username and a password."
        en "Not a guest" "This account already has credentials."
        ar "الحساب ليس لضيف" "لهذا الحساب بيانات دخول بالفعل.";
    409 GuestAccount "guest-account"
        "The account has no password. Set its credentials first."
        en "Guest account" "A guest account has no password."
        ar "حساب ضيف" "ليس لحساب الضيف كلمة مرور.";
    409 LastAdmin "last-admin"
        "No other account is an admin, so this account stays one. Make another account an admin first."
        en "Last admin" "No other account is an admin."
        ar "المشرف الأخير" "لا يوجد مدير آخر.";
    409 IdentityTaken "identity-taken"
        "An account has the identity already. Sign in with `POST /v1/sessions/oidc` to use that account."
        en "Identity taken" "An account has this identity already."
        ar "الهوية مستخدمة" "لحساب آخر هذه الهوية.";
    409 TooManyIdentities "too-many-identities"
        "The account has 16 identities, which is the maximum. Remove one first."
        en "Too many identities" "The account has the maximum number of identities."
        ar "هويات كثيرة" "للحساب أقصى عدد من الهويات.";
    409 SecondStepSetUp "second-step-set-up"
        "The account has a second step already. Remove it first."
        en "Second step set up already" "The account has a second step already."
        ar "الخطوة الثانية مفعّلة" "للحساب خطوة ثانية بالفعل.";
    409 NoSecondStep "no-second-step"
        "The account has no second step. Begin with `POST /v1/me/second-step`."
        en "No second step" "The account has no second step."
        ar "لا توجد خطوة ثانية" "ليس للحساب خطوة ثانية.";
    409 NoEmailAddress "no-email-address"
        "The account has no verified email address, or the server sends no mail."
        en "No email address" "No mail can be sent to the account."
        ar "لا يوجد بريد إلكتروني" "لا يمكن إرسال بريد إلى الحساب.";
    409 ReportDecided "report-decided"
        "A moderator has decided the report before."
        en "Report decided" "A moderator has decided the report before."
        ar "البلاغ مفصول فيه" "فصل أحد المشرفين في البلاغ من قبل.";
    409 TableSilent "table-silent"
        "At this table nobody reacts. `talk` of the view is false."
        en "Silent table" "This table is silent."
        ar "طاولة صامتة" "هذه الطاولة صامتة.";
    409 TooManyPeople { limit: i64, what: &'static str } "too-many-people"
        "There is no room for more. The member `what` names of what, and `limit` is the number."
        en "No room for more" "There is room for {limit} {what}."
        ar "لا مكان للمزيد" "الحد الأقصى هو {limit}.";
    409 ReportedAlready "reported-already"
        "You have reported this player for this game, or for none. A moderator has that report."
        en "Reported already" "You have reported this player for this game already."
        ar "سبق البلاغ" "أبلغتَ عن هذا اللاعب في هذه اللعبة من قبل.";
    409 AppealPending "appeal-pending"
        "Your appeal waits for a decision. `GET /v1/me/reports` has its state."
        en "Appeal pending" "Your appeal waits for a decision."
        ar "تظلّم قائم" "تظلّمك ينتظر القرار.";
    409 NothingToAppeal "nothing-to-appeal"
        "The account is in good standing: no measure of a moderator is in effect."
        en "Nothing to appeal" "The account is in good standing."
        ar "لا شيء للتظلّم منه" "لا إجراء قائم على هذا الحساب.";
    409 LastWayIn "last-way-in"
        "Nobody could sign in to the account without this identity. Link another one or set a password first. Recovery codes are no way in."
        en "Last way in" "Nobody could sign in to the account without this identity."
        ar "آخر طريق للدخول" "لا يستطيع أحد الدخول إلى الحساب بدون هذه الهوية.";
    409 MailOff "mail-off"
        "This server sends no mail. `available` of `GET /v1/me/email` is false then."
        en "No mail" "This server sends no mail."
        ar "لا بريد" "لا يرسل هذا الخادم بريدًا.";
    409 PushOff "push-off"
        "This server sends no pushes to browsers. `push_key` of `GET /v1/me/notifications` is null then."
        en "No pushes" "This server sends no pushes to browsers."
        ar "لا إشعارات" "لا يرسل هذا الخادم إشعارات إلى المتصفحات.";
    409 [NotPlaying { status: game_status }] "game-not-playing"
        "The game has not started or is over. The member `game_status` is the game's status."
        en "Game not being played" "The game is not being played. Its status is {game_status}."
        ar "اللعبة ليست جارية" "اللعبة ليست جارية. حالتها {game_status}.";
    409 [NotInLobby { status: game_status }] "game-not-in-lobby"
        "The game has started or is over. The member `game_status` is the game's status."
        en "Game not in the lobby" "The game is not in the lobby. Its status is {game_status}."
        ar "اللعبة تجاوزت الردهة" "اللعبة ليست في الردهة. حالتها {game_status}.";
    409 GameNotOver "game-not-over"
        "The history of a game is available when the game is over."
        en "Game not over" "The game is not over."
        ar "اللعبة لم تنته" "لم تنته اللعبة بعد.";
    409 NotLogged "not-logged"
        "No checkpoint of the public log has this entry of the game yet. Ask again in some seconds; a table that never started has no start."
        en "Not in the public log" "The public log does not have this entry of the game yet."
        ar "ليس في السجل العام" "لا يحتوي السجل العام على هذا القيد للعبة بعد.";
    409 AlreadyWaiting { game: GameId } "already-waiting"
        "You are already in the matchmaking queue. The member `game` is the id of your table. Leave it before you join the queue again."
        en "Already waiting" "You are already in the matchmaking queue."
        ar "أنت تنتظر بالفعل" "أنت في قائمة الانتظار بالفعل.";
    409 StrangersTable "strangers-table"
        "The service seats the players of this matchmade table and starts it. Join with `POST /v1/matchmaking`. To leave, stand up."
        en "Table of strangers" "The service seats the players of this table and starts it."
        ar "طاولة غرباء" "الخدمة هي التي تُجلس لاعبي هذه الطاولة وتبدؤها.";
    409 TooManyChanges { limit: u64 => by_table: bool } "too-many-changes"
        "Before its start, the table has changed too often, or you have joined it or committed to a seed there too often. The member `limit` is the maximum. You can still stand up, start the game or cancel it."
        en "Too many changes" "The limit of {limit} changes before the start is reached."
        ar "تغييرات أكثر من اللازم" "بلغت الطاولة أو بلغتَ الحد الأقصى للتغييرات قبل البدء، وهو {limit}.";
    409 TooManyTables { host: AccountId, limit: u32 } "too-many-tables"
        "The host already has the maximum number of tables in the lobby. The member `limit` is that maximum, and `host` is the host's account. Start, leave or cancel one of them first. Started games and matchmade tables do not count."
        en "Too many tables" "The host already has {limit} tables in the lobby, which is the maximum."
        ar "طاولات كثيرة" "لدى المضيف {limit} طاولة في الردهة، وهو الحد الأقصى.";
    409 [AlreadySeated { place }] "already-seated"
        "You already have a seat at this table. The member `place` is your place."
        en "Already seated" "You already have a seat at this table: place {place}."
        ar "أنت جالس بالفعل" "لك مكان على هذه الطاولة بالفعل، رقمه {place}.";
    409 [SeatTaken { seat }] "seat-taken"
        "Another player has that seat. Choose another."
        en "Seat taken" "Another player has seat {seat}."
        ar "المقعد مشغول" "المقعد {seat} للاعب آخر.";
    409 [GameFull { players }] "game-full"
        "Every seat is taken."
        en "Game full" "All {players} seats are taken."
        ar "الطاولة ممتلئة" "كل المقاعد مشغولة، وعددها {players}.";
    409 [EmptySeats { places }] "empty-seats"
        "The game can start only when every seat is taken. The member `places` lists the empty places."
        en "Empty seats" "These places are empty: {places}."
        ar "مقاعد خالية" "هذه الأماكن خالية: {places}.";
    409 [SeedsVoid { places }] "seeds-void"
        "A client seed stayed closed at the last start, so all commitments are void. The players in `places` must commit to a new seed or go without one, or leave."
        en "Seeds void" "The players at these places must commit to a new seed or go without one: {places}."
        ar "البذور باطلة" "على اللاعبين في هذه الأماكن الالتزام ببذرة جديدة أو اللعب بلا بذرة: {places}.";
    409 [SeedsOpening { places }] "seeds-opening"
        "The start was requested, and the players in `places` must open their client seeds first. Try again when the game has started or the opening has failed."
        en "Seeds opening" "The players at these places must open their client seeds first: {places}."
        ar "البذور تُكشف الآن" "على اللاعبين في هذه الأماكن فتح بذورهم أولًا: {places}.";
    409 [SeedCommitmentKnown] "seed-commitment-known"
        "Another player at the table has this commitment to a client seed, or the table had it before an opening that failed. Draw a new random seed and commit to that."
        en "Commitment already known" "The table knows this commitment already. Draw a new random seed and commit to that."
        ar "التزام معروف" "هذا الالتزام معروف على الطاولة. اختر بذرة عشوائية جديدة والتزم بها.";
    409 [NoSeedToOpen] "no-seed-to-open"
        "You have no commitment, your seed is open, or the start has not been requested."
        en "No seed to open" "You have no client seed to open now."
        ar "لا بذرة لتُكشف" "ليس لك الآن بذرة لتفتحها.";
    409 [NotStoodIn] "not-stood-in"
        "No bot plays for you, so there is nothing to resume."
        en "Nobody stands in" "No bot plays for you."
        ar "لا أحد يلعب بدلا منك" "لا يلعب روبوت بدلًا منك.";
    409 [NoPersonThere { place }] "no-person-there"
        "Only a person can be the host. The place in the member `place` is empty or has a bot."
        en "No person there" "There is no person at place {place}."
        ar "لا يجلس شخص هناك" "لا يجلس شخص في المكان {place}.";
    409 [SeveralPeople] "several-people"
        "Hints are only for games that started with one person. Other people played in this one."
        en "Several people play" "Hints are only for games that one person started with bots."
        ar "يلعب عدة أشخاص" "التلميحات فقط للألعاب التي بدأها شخص واحد مع روبوتات.";
    409 [NotYourTurn { to_act }] "not-your-turn"
        "Another player must act first. The member `to_act` names the player."
        en "Not your turn" "It is not your turn."
        ar "ليس دورك" "ليس هذا دورك.";
    409 [WrongPhase { phase }] "wrong-phase"
        "The game does not accept this command in its current phase. The member `phase` is that phase."
        en "Wrong phase" "The game does not accept this command in the phase {phase}."
        ar "ليس هذا وقته" "لا تقبل اللعبة هذا الأمر في المرحلة {phase}.";
    409 [CutOutOfRange] "cut-out-of-range"
        "A cut is a position in the pack from 1 to 51."
        en "Cut out of range" "A cut is a position from 1 to 51."
        ar "القطع خارج المدى" "موضع القطع رقم من 1 إلى 51.";
    409 [DashLimit { limit }] "dash-limit"
        "The maximum number of players have already declared zero in this round. The member `limit` is that maximum."
        en "Too many dashes" "At most {limit} players can declare this in a round."
        ar "عدد الداش كول مكتمل" "لا يعلن ذلك في الجولة أكثر من {limit}.";
    409 [DashCallNotNow] "dash-call-not-now"
        "A dash call replaces your first call. You cannot make one now."
        en "No dash call now" "You cannot make a dash call now."
        ar "لا داش كول الآن" "لا يمكنك إعلان داش الآن.";
    409 [ThirteenUnavoidable] "thirteen-unavoidable"
        "After this bid, the calls could only add up to 13, which is not allowed."
        en "Thirteen unavoidable" "After this call the total could only be 13, which is not allowed."
        ar "لا مفر من الثلاثة عشر" "بعد هذا الإعلان لا يمكن أن يكون المجموع إلا 13، وهذا غير مسموح.";
    409 [NoPassing] "no-passing"
        "You cannot pass in this auction."
        en "No passing" "You cannot pass in this auction."
        ar "الباص غير مسموح" "لا يمكنك التمرير في هذا المزاد.";
    409 [BidOutOfRange { min, max }] "bid-out-of-range"
        "A bid is a number from `min` to `max`."
        en "Bid out of range" "A bid is a number from {min} to {max}."
        ar "الطلب خارج المدى" "المزايدة رقم من {min} إلى {max}.";
    409 [BidTooLow { tricks, trump }] "bid-too-low"
        "A bid must beat the current bid, by number and then by suit. The members `tricks` and `trump` are the current bid."
        en "Bid too low" "The bid does not beat the current bid of {tricks} {trump}."
        ar "الطلب أقل من اللازم" "المزايدة لا تعلو المزايدة الحالية: {tricks} {trump}.";
    409 [NoTrumpBarred] "no-trump-barred"
        "Bids without trump are not allowed at this table."
        en "No trump barred" "Bids without trump are not allowed at this table."
        ar "الطلب بلا حكم ممنوع" "المزايدة بلا حكم غير مسموحة على هذه الطاولة.";
    409 [EstimateOutOfRange { min, max }] "estimate-out-of-range"
        "An estimate is a number from `min` to `max`."
        en "Estimate out of range" "An estimate is a number from {min} to {max}."
        ar "التقدير خارج المدى" "التقدير رقم من {min} إلى {max}.";
    409 [ZeroLimit { limit }] "zero-limit"
        "The round already has the maximum number of zeros. The member `limit` is that maximum."
        en "Too many zeros" "A round has at most {limit} zeros."
        ar "عدد الأصفار مكتمل" "في الجولة {limit} أصفار على الأكثر.";
    409 [TotalBarred { barred, total }] "total-barred"
        "The last estimate may not bring the total to `total`. The member `barred` is the number that is not allowed."
        en "Total barred" "The last estimate cannot bring the total to {total}."
        ar "المجموع ممنوع" "لا يجوز للتقدير الأخير أن يجعل المجموع {total}.";
    409 [TrumpChangeBarred { changed }] "trump-change-barred"
        "You cannot change trump with this estimate. The member `changed` is the bid that a change must beat."
        en "Trump change barred" "You cannot change trump with this estimate."
        ar "تغيير الحكم ممنوع" "لا يمكنك تغيير الحكم بهذا التقدير.";
    409 [CardNotHeld { card }] "card-not-held"
        "The card is not in your hand."
        en "Card not held" "The card {card} is not in your hand."
        ar "الورقة ليست في يدك" "الورقة {card} ليست في يدك.";
    409 [MustFollowSuit { led }] "must-follow-suit"
        "You hold the led suit and must play it. The member `led` names it."
        en "Must follow suit" "You must follow the led suit, {led}."
        ar "يجب اتباع اللون" "عليك أن تتبع نوع الورقة الأولى: {led}.";
    409 LogReplaced { current_version: u64 } "log-replaced"
        "The game's log does not have the event that the request names: the database was restored from an earlier state. Load the game again and continue from there. The member `current_version` is the end of the log."
        en "Log replaced" "The game's log does not have this event. It ends at version {current_version}."
        ar "استُبدل السجل" "سجل اللعبة ليس فيه هذا الحدث، وينتهي عند الإصدار {current_version}.";
    412 StaleVersion { current_version: u64, events: Value } "stale-version"
        "The game has a newer version than `If-Match`. The member `current_version` is the current version, and `events` has the events since yours."
        en "Stale version" "The game is at version {current_version}."
        ar "نسخة قديمة" "اللعبة عند الإصدار {current_version}.";
    413 BodyTooLarge { limit: usize } "body-too-large"
        "The body is too large. The member `limit` is the maximum size in bytes."
        en "Body too large" "The body is larger than {limit} bytes."
        ar "المحتوى أكبر من المسموح" "المتن أكبر من {limit} بايت.";
    415 UnsupportedMediaType { header: &'static str } "unsupported-media-type"
        "Send the body as `application/json`, without a `Content-Encoding`. The member `header` names the header that is wrong. The answer has `Accept` or `Accept-Encoding`, which names the accepted value."
        en "Unsupported media type" "The service does not read a body with this {header}."
        ar "نوع المحتوى غير مدعوم" "لا تقرأ الخدمة متنًا بهذه الترويسة {header}.";
    422 IdempotencyKeyReused "idempotency-key-reused"
        "You used the idempotency key before with another body. Use a new key for a new request."
        en "Idempotency key reused" "The idempotency key was used with another body."
        ar "أُعيد استخدام مفتاح التكرار" "استُخدم المفتاح نفسه مع متن آخر.";
    422 InvalidBody { errors: FieldErrors; field: String } "invalid-body"
        "The body is JSON, but does not fit the operation: a field is missing, unknown or repeated, or has another type or form. The member `errors` names the first such field and the reason; of a command, every field that its kind lacks or does not have."
        en "Invalid body"
        ar "المحتوى غير صالح" "بعض حقول المتن غير سليم.";
    422 InvalidField { errors: FieldErrors, field: String, reason: String } "invalid-field"
        "A field is out of its range. The member `errors` names every faulty field and the reason. `field` and `reason` are those of the first."
        en "Invalid field"
        ar "الحقل غير صالح" "قيمة الحقل \u{2066}{field}\u{2069} غير مسموحة.";
    422 CharacterNotAllowed { errors: FieldErrors, field: &'static str, character: String, reason: &'static str } "character-not-allowed"
        "A name has a character that is not allowed in names. The member `character` names it. `reason` is its kind: `control`, `bidi-control`, `invisible`, `private-use`, `unassigned`, `noncharacter`, `bare-mark` (a combining mark without a letter before it), `restricted` (a letter of an excluded script, or a symbol of one script) or `not-for-usernames`. Remove the character."
        en "Character not allowed"
        ar "حرف غير مسموح" "الحرف {character} غير مسموح في الأسماء.";
    422 TooManyMarks { errors: FieldErrors, field: &'static str, character: String } "too-many-marks"
        "A letter of the name has too many combining marks. At most 4 nonspacing marks can follow each other, and all must be different. The member `character` names the first mark that breaks this."
        en "Too many marks on a letter"
        ar "علامات كثيرة على حرف واحد" "على أحد الحروف علامات كثيرة، أولها الزائد {character}.";
    422 MixedScripts { errors: FieldErrors, field: &'static str, character: String } "mixed-scripts"
        "The letters of a name must be from one script. Digits, punctuation and emoji are always allowed. The member `character` names the first letter of another script."
        en "Mixed scripts"
        ar "أبجديات مختلطة" "حروف الاسم من أكثر من نظام كتابة؛ أولها {character}.";
    422 NameReserved { errors: FieldErrors, field: &'static str } "name-reserved"
        "The service reserves this name, or one that looks like it. Choose another."
        en "Name reserved"
        ar "الاسم محفوظ للخدمة" "هذا الاسم، أو ما يشبهه، محجوز للخدمة.";
    422 NameForbidden { errors: FieldErrors, field: &'static str } "name-forbidden"
        "The name has a word that is not allowed on this server. Choose another."
        en "Word not allowed"
        ar "كلمة غير مسموحة" "في الاسم كلمة غير مسموح بها هنا.";
    422 PasswordTooShort { errors: FieldErrors, field: &'static str } "password-too-short"
        "A password has at least 8 characters."
        en "Password too short"
        ar "كلمة المرور قصيرة" "كلمة المرور 8 أحرف على الأقل.";
    422 PasswordTooLong { errors: FieldErrors, field: &'static str } "password-too-long"
        "A password has at most 128 characters."
        en "Password too long"
        ar "كلمة المرور طويلة" "كلمة المرور 128 حرفًا على الأكثر.";
    422 PasswordCommon { errors: FieldErrors, field: &'static str } "password-common"
        "The password is one of the most common ones. Choose another."
        en "Password too common"
        ar "كلمة المرور شائعة" "كلمة المرور من الأكثر شيوعًا.";
    422 PasswordIsUsername { errors: FieldErrors, field: &'static str } "password-is-username"
        "The password must differ from the username."
        en "Password is the username"
        ar "كلمة المرور هي اسم المستخدم" "يجب أن تختلف كلمة المرور عن اسم المستخدم.";
    422 UnknownRuleset { errors: FieldErrors, rulesets: &'static [RulesetId] } "unknown-ruleset"
        "There is no such ruleset. The member `rulesets` lists the existing ones."
        en "Unknown ruleset"
        ar "قواعد غير معروفة" "لا توجد قواعد بهذا الاسم. الموجود: {rulesets}.";
    422 UnknownOption { errors: FieldErrors, ruleset: RulesetId, option: String } "unknown-option"
        "The ruleset has no such option. The member `option` names it."
        en "Unknown option"
        ar "خيار غير معروف" "ليس للقواعد {ruleset} خيار باسم {option}.";
    422 InvalidOption { allowed: Value, errors: FieldErrors, option: &'static str } "invalid-option"
        "The option cannot have that value. The member `option` names the option, and `allowed` gives its valid values."
        en "Invalid option"
        ar "قيمة الخيار غير صالحة" "لا يمكن أن تكون هذه قيمة الخيار {option}.";
    422 PlayersOutOfRange { errors: FieldErrors, min: u8, max: u8 } "players-out-of-range"
        "The ruleset does not allow that number of players. The members `min` and `max` are its limits."
        en "Players out of range"
        ar "عدد اللاعبين خارج المدى" "عدد اللاعبين من {min} إلى {max}.";
    422 [NoSuchSeat { seat, players }] "no-such-seat"
        "The table has no seat with that number. The member `players` is the number of seats."
        en "No such seat" "The table has no seat {seat}. It has {players} seats."
        ar "لا يوجد هذا المقعد" "لا مقعد برقم {seat} على الطاولة. عدد مقاعدها {players}.";
    422 [SeedDoesNotMatch { commitment }] "seed-does-not-match"
        "The SHA-256 of the seed's text is not your commitment, which is the member `commitment`."
        en "Seed does not match" "The seed does not match your commitment."
        ar "البذرة غير مطابقة" "البذرة لا تطابق التزامك.";
    422 ImpossibleRound { errors: FieldErrors | round: ImpossibleRound [reason; bid, bidder, carry, hand_size, last, limit, max, min, players, rounds, seat, sum, total] } "impossible-round"
        "The rules do not allow such a round. The member `reason` gives the cause."
        en "Impossible round"
        ar "جولة مستحيلة" "لا يمكن أن تكون جولة قد لُعبت هكذا.";
    429 TooManyRequests { policy: &'static str => retry_after: u64 } "too-many-requests"
        "You sent more requests than the limits allow. The member `policy` names the limit, and `RateLimit-Policy` describes it. Try again after `Retry-After` seconds."
        en "Too many requests" "You have reached the limit {policy} of requests."
        ar "طلبات أكثر من المسموح" "بلغتَ الحد {policy} للطلبات.";
    429 TooManyAttempts { policy: &'static str => retry_after: u64 } "too-many-attempts"
        "There were too many attempts. The member `policy` names the limit. Try again after `Retry-After` seconds."
        en "Too many attempts" "You have reached the limit {policy} of attempts."
        ar "محاولات أكثر من المسموح" "بلغتَ الحد {policy} للمحاولات.";
    429 OpeningsMissed { until: RecordTime => retry_after: u64 } "openings-missed"
        "You missed several openings of client seeds, so you cannot join the matchmaking queue for a while. The member `until` says when you can, and so does `Retry-After`. Open your seed when the start is requested, or wait without a commitment."
        en "Openings missed" "You missed several openings of client seeds. You can join the queue again at {until}."
        ar "فات فتح البذور" "فاتك فتح بذرتك أكثر من مرة. يمكنك دخول قائمة الانتظار مجددًا في {until}.";
    429 TooManyStreams "too-many-streams"
        "The account has the maximum number of open streams and polls on this node. Close one first."
        en "Too many streams" "The account has the maximum number of open streams and polls."
        ar "بثوث أكثر من المسموح" "للحساب الحد الأقصى من الاتصالات المفتوحة للمتابعة.";
    431 HeadTooLarge "head-too-large"
        "The head of the request has more than 96 fields or more than 128 KiB. The server closes the connection after this answer."
        en "Request head too large" "The head of the request is too large."
        ar "ترويسات الطلب أكبر من اللازم" "رأس الطلب أكبر من المسموح.";
    500 InternalError "internal-error"
        "The server failed. Find the request in the server's log with the member `request_id`."
        en "Internal error" "The server failed."
        ar "خطأ داخلي" "حدث خطأ في الخادم.";
    503 Unavailable { ; reason: &'static str } "unavailable"
        "The service cannot handle the request at the moment. Nothing was changed. Try again after `Retry-After` seconds."
        en "Unavailable"
        ar "الخدمة غير متاحة" "لا تستطيع الخدمة معالجة الطلب الآن. لم يتغير شيء.";
    503 OutcomeUnknown "outcome-unknown"
        "The database did not confirm the change in time. The change may have happened, or may still happen. Repeat the request with the same `Idempotency-Key` or `If-Match`, or read the state first."
        en "Outcome not known" "The database did not confirm the change in time. The change may have happened."
        ar "نتيجة الطلب غير معروفة" "لم تؤكد قاعدة البيانات التغيير في الوقت المحدد، وربما حدث.";
    503 TooManyConnections "too-many-connections"
        "Your address, or all clients together, have the maximum number of open connections. The server closes the connection after this answer. Reuse one connection instead of opening many, and try again after `Retry-After` seconds."
        en "Too many connections" "The maximum number of open connections is reached."
        ar "اتصالات أكثر من اللازم" "بلغ عدد الاتصالات المفتوحة حده الأقصى.";
    503 IssuerUnavailable "issuer-unavailable"
        "The issuer does not answer, or not as it should. Nothing was changed. Try again after `Retry-After` seconds."
        en "Issuer unavailable" "The issuer does not answer at the moment."
        ar "جهة الهوية لا تجيب" "جهة الهوية لا تجيب في هذه اللحظة.";
    503 GameBusy "game-busy"
        "Other commands changed the game while the server handled yours, several times in a row. Try again after `Retry-After` seconds."
        en "Game busy" "Other commands changed the game at the same time."
        ar "اللعبة مشغولة" "غيّرت أوامر أخرى اللعبة في الوقت نفسه.";
}
