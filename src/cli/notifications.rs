//! Flags for notices to players: the operator's gateway, pushes to browsers, and what requests may reach.

use clap::Args;

use super::Failed;
use super::values::contact;
use estimation_service::base::network::Network;
use estimation_service::notifications::{Destinations, PushHost, PushSettings, Webhook, WebhookSecret};
use estimation_service::outbound::{AllowedNetworks, HttpsUrl};

/// Flags for notices to players.
#[derive(Args, Clone, Debug)]
pub(super) struct NotificationFlags {
    /// URL of a gateway that passes notices on to phones, as in https://gateway.example.org/estimation. It gets them as
    /// Standard Webhooks. None by default.
    #[arg(long, env = "ESTIMATION_WEBHOOK_URL")]
    webhook_url: Option<HttpsUrl>,

    /// Secret that signs webhooks: `whsec_` and 24 to 64 bytes in base64. While secrets rotate, separate the new one and the
    /// old one by a comma.
    #[arg(
        long = "webhook-secret",
        env = "ESTIMATION_WEBHOOK_SECRET",
        value_delimiter = ',',
        hide_env_values = true
    )]
    webhook_secrets: Vec<String>,

    /// Whom push services ask about this server, as in mailto:admin@example.org or https://example.org/contact. Without it
    /// the server sends no pushes to browsers.
    #[arg(long, env = "ESTIMATION_PUSH_CONTACT", value_parser = contact)]
    push_contact: Option<String>,

    /// Hosts of push services. Repeat the flag or separate values by commas; `*.` stands for any names before a domain.
    #[arg(long = "push-hosts", env = "ESTIMATION_PUSH_HOSTS", value_delimiter = ',', default_value = PushHost::KNOWN)]
    push_hosts: Vec<PushHost>,

    /// Network that webhooks, pushes and requests to issuers may reach although it is not public, like 10.0.0.0/8. Repeat the flag or separate
    /// values by commas. None by default.
    #[arg(long = "outbound-networks", env = "ESTIMATION_OUTBOUND_NETWORKS", value_delimiter = ',')]
    outbound_networks: Vec<Network>,
}

impl NotificationFlags {
    /// What webhooks, pushes and requests to issuers may reach.
    pub(super) fn networks(&self) -> AllowedNetworks {
        AllowedNetworks(self.outbound_networks.clone())
    }

    /// Where notices go. Errors quote no secret.
    pub(super) fn destinations(&self, public_url: Option<String>) -> Result<Destinations, Failed> {
        let secrets: Vec<WebhookSecret> = self
            .webhook_secrets
            .iter()
            .map(|text| text.parse().map_err(|error| format!("webhook-secret: {error}")))
            .collect::<Result<_, _>>()?;
        if self.webhook_url.is_some() && secrets.is_empty() {
            return Err("webhook-url needs a webhook-secret that signs its webhooks".into());
        }
        let push = |contact| PushSettings { contact, hosts: self.push_hosts.clone() };
        Ok(Destinations {
            webhook: self.webhook_url.clone().map(|url| Webhook { url, secrets }),
            push: self.push_contact.clone().map(push),
            public_url,
        })
    }
}
