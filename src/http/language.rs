//! The language of an answer: which one a client asks for, and titles put into it. Codes, names of fields and the
//! words of the protocol are the same in every language.

use std::future::{Ready, ready};
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::{
    ACCEPT_LANGUAGE, CONTENT_LANGUAGE, HeaderMap, HeaderValue, Quality, QualityItem,
};
use actix_web::{FromRequest, HttpRequest, HttpResponse};

pub use estimation_service::base::locale::Language;
use estimation_service::base::locale::Text;
use estimation_service::base::prerendered::Prerendered;
use estimation_service::games::view::GameView;
use estimation_service::games::{GamesPage, Invitation};
use estimation_service::matchmaking::Waiting;
use estimation_service::rulesets::{PublishedRuleset, RulesetSummary};

/// The language that a request prefers.
pub(super) struct PreferredLanguage(pub Language);

impl FromRequest for PreferredLanguage {
    type Error = actix_web::Error;
    type Future = Ready<Result<PreferredLanguage, actix_web::Error>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        ready(Ok(PreferredLanguage(preferred(request.headers()))))
    }
}

/// The language that a request prefers (RFC 9110, 12.5.4).
pub(super) fn preferred(headers: &HeaderMap) -> Language {
    let values = headers.get_all(ACCEPT_LANGUAGE).filter_map(|value| value.to_str().ok());
    let mut best = (Quality::ZERO, Language::English);
    for range in values.flat_map(|value| value.split(',')) {
        let Ok(QualityItem { item, quality }) = range.parse::<QualityItem<String>>() else { continue };
        let language = match item.trim().split('-').next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "ar" => Language::Arabic,
            "en" | "*" => Language::English,
            _ => continue,
        };
        if quality > best.0 {
            best = (quality, language);
        }
    }
    best.1
}

/// Translates the texts of an answer.
pub(super) trait Translate: Copy {
    fn ruleset(self, ruleset: &mut PublishedRuleset);
    fn view(self, view: &mut GameView);
    fn games(self, page: &mut GamesPage);
    fn invitation(self, invitation: &mut Invitation);
    /// Translates a place in the matchmaking queue.
    fn waiting(self, waiting: &mut Waiting);
    /// Adds `Content-Language`.
    fn mark(self, answer: HttpResponse) -> HttpResponse;
}

impl Translate for Language {
    fn ruleset(self, ruleset: &mut PublishedRuleset) {
        let Text { title, description } = self.ruleset_text(ruleset.id);
        (ruleset.title, ruleset.description) = (title, description);
        for option in &mut ruleset.options {
            if let Some(text) = self.option_text(option.name) {
                (option.title, option.description) = (text.title, text.description);
            }
        }
    }

    fn view(self, view: &mut GameView) {
        if self != Language::English {
            let mut ruleset = RulesetSummary::clone(&view.ruleset);
            summary(self, &mut ruleset);
            view.ruleset = Arc::new(Prerendered::new(ruleset));
            let mut seats = Vec::clone(&view.seats);
            let players = seats.iter_mut().filter_map(|seat| seat.player.as_mut());
            players.for_each(|player| player.translate(self));
            view.seats = Arc::new(Prerendered::new(seats));
        }
    }

    fn games(self, page: &mut GamesPage) {
        for game in &mut page.items {
            summary(self, &mut game.ruleset);
            let seats = game.own.iter_mut().flat_map(|own| &mut own.seats);
            seats.for_each(|seat| seat.player.translate(self));
        }
    }

    fn invitation(self, invitation: &mut Invitation) {
        summary(self, &mut invitation.ruleset);
        let players = invitation.seats.iter_mut().filter_map(|seat| seat.player.as_mut());
        players.for_each(|player| player.translate(self));
    }

    fn waiting(self, waiting: &mut Waiting) {
        if let Some(ruleset) = &mut waiting.ruleset {
            summary(self, ruleset);
        }
    }

    fn mark(self, mut answer: HttpResponse) -> HttpResponse {
        answer.headers_mut().insert(CONTENT_LANGUAGE, HeaderValue::from_static(self.tag()));
        answer
    }
}

fn summary(language: Language, ruleset: &mut RulesetSummary) {
    ruleset.title = &language.ruleset_text(ruleset.id).title;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(value: &str) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_str(value).unwrap());
        preferred(&headers)
    }

    #[test]
    fn the_language_is_the_one_that_weighs_most() {
        for (value, language) in [
            ("ar", Language::Arabic),
            ("ar-EG", Language::Arabic),
            ("AR-eg, en;q=0.8", Language::Arabic),
            ("en-GB, ar;q=0.9", Language::English),
            ("fr, ar;q=0.2, en;q=0.1", Language::Arabic),
            ("fr", Language::English),
            ("*", Language::English),
            ("*, ar", Language::English),
            ("ar;q=0", Language::English),
            ("ar;q=half", Language::English),
            ("arc", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(asked(value), language, "{value:?}");
        }
        assert_eq!(preferred(&HeaderMap::new()), Language::English);
    }
}
