//! The rule for names over HTTP: which names are refused and with which code, and which pass.

use crate::prelude::*;

async fn guest(service: &Service, display_name: &str) -> Answer {
    service.anonymous().send("/v1/accounts/guest", &json!({"display_name": display_name})).await
}

async fn rename(client: &Client, display_name: &str) -> Answer {
    client.request(Method::PATCH, "/v1/me").raw(json!({"display_name": display_name}).to_string()).await
}

on_sqlite_first! {
    /// The error names the first bad character.
    async fn a_misleading_name_is_refused(service: Service) {
        let noor = service.player("noor").await.client;
        let zalgo = format!("Z{}", "\u{315}\u{35c}\u{20dd}".repeat(13));
        for (name, code, character) in [
            ("Noor\u{202e}nimda", "character-not-allowed", "U+202E"),
            // In normal form, as every name is checked.
            ("\u{3164}", "character-not-allowed", "U+1160"),
            ("\u{200d}", "character-not-allowed", "U+200D"),
            ("No\u{200b}or", "character-not-allowed", "U+200B"),
            ("No\u{fe0f}or", "character-not-allowed", "U+FE0F"),
            ("\u{2800}", "character-not-allowed", "U+2800"),
            ("Noor\u{e0041}", "character-not-allowed", "U+E0041"),
            ("Noor\u{ffff}", "character-not-allowed", "U+FFFF"),
            ("Noor\u{e000}", "character-not-allowed", "U+E000"),
            ("Noor\u{378}", "character-not-allowed", "U+0378"),
            ("No\u{0}or", "character-not-allowed", "U+0000"),
            ("\u{301}Noor", "character-not-allowed", "U+0301"),
            ("\u{fdfd}", "character-not-allowed", "U+FDFD"),
            ("\u{13080}", "character-not-allowed", "U+13080"),
            (zalgo.as_str(), "too-many-marks", "U+0315"),
            ("N\u{43e}or", "mixed-scripts", "U+043E"),
            ("نور Noor", "mixed-scripts", "U+004E"),
        ] {
            let wish = json!({"username": "lina", "password": PASSWORD, "display_name": name});
            for refused in [
                guest(&service, name).await,
                rename(&noor, name).await,
                service.anonymous().send("/v1/accounts", &wish).await,
            ] {
                let problem = refused.refused(422, code);
                assert_eq!(problem["field"], "/display_name", "{name:?}");
                assert_eq!(problem["character"], character, "{name:?}");
                assert!(problem["detail"].as_str().expect("a detail").contains(character), "{problem}");
            }
        }
        assert_eq!(noor.get("/v1/me").await.accepted()["display_name"], "noor");
        let arabic = noor.request(Method::PATCH, "/v1/me").header("accept-language", "ar");
        let problem = arabic.raw(json!({"display_name": "No\u{202e}or"}).to_string()).await;
        assert_eq!(problem.refused(422, "character-not-allowed")["title"], "حرف غير مسموح");
    }

    async fn ordinary_names_are_accepted(service: Service) {
        for name in [
            "Noor", "O’Brien-Łukasz", "نور", "مُحَمَّد", "عَبْدُ ٱللَّٰهِ", "محمد 2026", "محمد ٢٠٢٦", "محـــمد", "Nguyễn Thị Ánh",
            "さくらサクラ桜", "김민준", "Ольга", "Ελένη", "שָׁלוֹם", "ज़िंदगी", "สมชาย", "علی\u{200c}رضا", "⭐ Noor ⭐",
            "👩\u{200d}🚀", "❤\u{fe0f}",
        ] {
            let made = guest(&service, name).await.accepted();
            assert_eq!(made["account"]["display_name"], name);
        }
        for (name, stored) in [("\u{a0}Noor\u{3000}\u{2003} Ali ", "Noor Ali"), ("Ｎｏｏｒ", "Noor")] {
            let made = guest(&service, name).await.accepted();
            assert_eq!(made["account"]["display_name"], stored);
        }
    }

    async fn names_of_the_service_are_reserved(service: Service) {
        for name in [
            "Admin", "ADMIN", "admin 2", "Adm1n", "Аdmіn", "a.d.m.i.n", "Ádmin", "⭐Admin⭐", "Noor (moderator)", "rnoderator",
            "Steady bot", "Steady Bot 3", "sharp bot", "(deleted 2e3f01)", "Estimation", "EST1MATION", "System", "Auditor",
            "المشرف", "النظام",
        ] {
            let answer = guest(&service, name).await;
            // A name of two scripts is refused for that reason first.
            let mixed = answer.body.contains("mixed-scripts");
            assert_eq!(mixed, name == "Аdmіn", "{name}: {answer}");
            let problem = answer.refused(422, if mixed { "mixed-scripts" } else { "name-reserved" });
            assert_eq!(problem["field"], "/display_name", "{name}");
        }
        for username in ["admin", "Adm1n", "rnoderator", "steady-bot", "estimation", "System", "auditor-1"] {
            let wish = json!({"username": username, "password": PASSWORD});
            let problem = service.anonymous().send("/v1/accounts", &wish).await.refused(422, "name-reserved");
            assert_eq!(problem["field"], "/username", "{username}");
            let made = guest(&service, "Noor").await.accepted();
            let client = service.anonymous().with_token(made["session"]["access_token"].as_str().expect("a token"));
            let credentials = client.request(Method::PUT, "/v1/me/credentials").raw(wish.to_string()).await;
            credentials.refused(422, "name-reserved");
        }
        for name in ["Badminton", "Modern Noor", "Sharp", "Botros", "Admiral", "Estimation King", "Systema"] {
            guest(&service, name).await.accepted();
        }
    }

    async fn a_username_is_not_the_default_display_name(service: Service) {
        let wish = json!({"username": "noor-1987", "password": PASSWORD});
        let made = service.anonymous().send("/v1/accounts", &wish).await.accepted();
        let name = made["account"]["display_name"].as_str().expect("a name");
        let digits = name.strip_prefix("Player ").expect("a neutral name");
        assert!(digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{name}");
        let made = service.anonymous().send("/v1/accounts/guest", &json!({})).await.accepted();
        assert!(made["account"]["display_name"].as_str().expect("a name").starts_with("Guest "), "{made}");
        // A player may choose the username as the display name.
        let wish = json!({"username": "lina-1987", "password": PASSWORD, "display_name": "lina-1987"});
        let made = service.anonymous().send("/v1/accounts", &wish).await.accepted();
        assert_eq!(made["account"]["display_name"], "lina-1987");
    }
}
