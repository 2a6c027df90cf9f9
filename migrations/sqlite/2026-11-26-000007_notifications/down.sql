DROP TABLE push_subscriptions;
DROP TABLE notification_choices;
DROP TABLE notifications;
