#!/bin/sh
# Makes the secrets that compose.yaml and kubernetes/ name, at random, as files in a folder that only you can enter: sh secrets.sh [FOLDER]
# What is there already stays as it is. The folder belongs in no repository.
set -eu
umask 022
folder=${1:-"$(dirname "$0")/secrets"}
mkdir -p "$folder"
chmod 0700 "$folder"

random() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }
keep() { [ -s "$folder/$1" ] || printf '%s' "$2" > "$folder/$1"; }

keep postgres_password "$(random 24)"
keep owner_password "$(random 24)"
keep app_password "$(random 24)"
keep grafana_password "$(random 12)"
keep admin_token "$(random 24)"
keep secrets_key "$(head -c 32 /dev/urandom | base64)"
# Of your own database: VAULTOPS_DATABASE_HOST, and VAULTOPS_DATABASE_POOLER where a pooler stands before it.
host=${VAULTOPS_DATABASE_HOST:-postgres:5432}
pooler=${VAULTOPS_DATABASE_POOLER:-${VAULTOPS_DATABASE_HOST:-pgbouncer:6432}}
keep database_url "postgres://vaultops_app:$(cat "$folder/app_password")@$pooler/vaultops"
keep database_listen_url "postgres://vaultops_app:$(cat "$folder/app_password")@$host/vaultops"
keep database_owner_url "postgres://vaultops_owner:$(cat "$folder/owner_password")@$host/vaultops"
keep pgbouncer_users "\"vaultops_app\" \"$(cat "$folder/app_password")\"
"
echo "The secrets are in $folder."
