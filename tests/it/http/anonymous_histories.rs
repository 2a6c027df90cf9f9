//! Histories of public games need no access token. Without one, a caller learns nothing about other games.

use crate::prelude::*;

on_sqlite_first! {
    async fn a_public_game_that_is_over_needs_no_token(service: Service) {
        let nobody = service.anonymous();
        let mut paths = Vec::new();
        for visibility in ["public", "private"] {
            let table = service.table("nineteen").with("visibility", visibility).open().await;
            let path = table.path("history");
            nobody.get(&path).await.refused(401, "token-missing");
            table.seat(0).player.client.send(&table.path("cancel"), &json!({})).await.accepted();
            paths.push(path);
        }
        let [public, private] = &paths[..] else { panic!("two games") };
        let history = nobody.get(public).await.accepted();
        assert_eq!((&history["header"]["status"], &history["events"].as_array().map(Vec::len)), (&json!("abandoned"), &Some(2)));
        let lines = nobody.get(public).header("accept", "application/x-ndjson").await;
        assert_eq!((lines.status, lines.body.lines().count()), (200, 4), "{lines}");
        // A game that is not shown looks like one that does not exist.
        let unknown = "/v1/games/019b7a00-0000-7000-8000-00000000dead/history";
        let [hidden, unknown] = [private.as_str(), unknown].map(|path| nobody.get(path));
        let (hidden, unknown) = (hidden.await.refused(401, "token-missing"), unknown.await.refused(401, "token-missing"));
        assert_eq!(hidden["detail"], unknown["detail"]);
        nobody.with_token("not.a.token").get(public).await.refused(401, "token-invalid");
    }
}
