#!/bin/sh
# The database and its two roles, by the postgres image when its volume is empty: the owner migrates, the application's role owns nothing.
set -eu
secrets=${SECRETS:-/run/secrets}
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set owner_password="$(cat "$secrets/owner_password")" --set app_password="$(cat "$secrets/app_password")" <<'SQL'
create role vaultops_owner login password :'owner_password';
create role vaultops_app login password :'app_password';
create database vaultops owner vaultops_owner template template0 encoding 'UTF8' locale 'C';
revoke all on database vaultops from public;
grant connect on database vaultops to vaultops_app;
-- What is set for each session where there is no pooler.
alter role vaultops_app set statement_timeout = '60s';
alter role vaultops_app set idle_in_transaction_session_timeout = '60s';
SQL
