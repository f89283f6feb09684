# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: TLS and passwords, by a web configuration file.
# shellcheck shell=bash

web=$out/web
# The hash has the lowest cost of bcrypt.
# shellcheck disable=SC2016 # a salt, not variables
web_salt='$2y$04$abcdefghijklmnopqrstuu'

# Print why TLS and passwords cannot be tested, or nothing.
why_no_web()
{
	if ! ldd "$stats" | grep -q libyaml; then
		echo "kvm-stats was built without libyaml and libcrypt"
	elif ! command -v openssl >/dev/null; then
		echo "openssl is not installed"
	fi
}

make_certificate()
{
	mkdir -p "$web" &&
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
		-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$web/key.pem" -out "$web/cert.pem" &&
	cat >"$web/all.yml" <<-END
	# The file names are relative to this file.
	tls_server_config:
	  cert_file: cert.pem
	  key_file: key.pem
	  min_version: TLS13
	basic_auth_users:
	  other: $(hash_of 'other password')
	  prometheus: $(hash_of 'se:cret')
	END
}

hash_of()
{
	perl -e 'print crypt($ARGV[0], $ARGV[1])' "$1" "$web_salt"
}

serves_https()
{
	start_server --listen 127.0.0.1:0 --web.config.file "$web/all.yml" &&
	[[ $url == https://* ]] &&
	answers 200 --cacert "$web/cert.pem" -u 'prometheus:se:cret' &&
	has_line '^kvm_stats_samples_total' "$out/scraped"
}

# The password is verified again after it was right once.
refuses_without_password()
{
	answers 401 --cacert "$web/cert.pem" && has_header 'www-authenticate: Basic .*' &&
	! has_line kvm_ "$out/scraped" &&
	answers 401 --cacert "$web/cert.pem" -u 'prometheus:se:cre' &&
	answers 401 --cacert "$web/cert.pem" -u 'prometheus:se:crett' &&
	answers 401 --cacert "$web/cert.pem" -u 'nobody:se:cret' &&
	answers 401 --cacert "$web/cert.pem" -u 'other:se:cret' &&
	answers 401 --cacert "$web/cert.pem" -H 'Authorization: Basic !!!' &&
	answers 401 --cacert "$web/cert.pem" -H 'Authorization: Bearer x' &&
	answers 200 --cacert "$web/cert.pem" -u 'other:other password' &&
	url=${url%metrics}healthz answers 401 --cacert "$web/cert.pem"
}

refuses_old_tls()
{
	! scrape --cacert "$web/cert.pem" -u 'prometheus:se:cret' --tls-max 1.2 &&
	! url=http${url#https} scrape -u 'prometheus:se:cret'
}

# Clients that connect and do not even begin the TLS handshake.
silent_tls_clients()
{
	local clients=() client status=0 i

	for ((i = 0; i < 60; i++)); do
		exec {client}<>"/dev/tcp/127.0.0.1/$(port)" || return 1
		clients+=("$client")
	done
	answers 200 -m 4 --cacert "$web/cert.pem" -u 'prometheus:se:cret' || status=1
	for client in "${clients[@]}"; do
		exec {client}>&-
	done
	return "$status"
}

serves_only_with_password()
{
	printf 'basic_auth_users:\n  a: %s\n' "$(hash_of b)" >"$web/users.yml" &&
	start_server --listen 127.0.0.1:0 --web.config.file "$web/users.yml" &&
	[[ $url == http://* ]] && answers 401 && answers 200 -u a:b && end_server
}

# config_is_refused TEXT REGEX: a file with this text is an error that matches
config_is_refused()
{
	printf '%b' "$1" >"$web/bad.yml" &&
	serve_prints 1 "$2" --listen 127.0.0.1:0 --web.config.file "$web/bad.yml"
}

bad_configurations()
{
	local tls='tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\n'

	config_is_refused '' 'bad.yml: the file is empty' &&
	config_is_refused 'a: [' 'bad.yml:[0-9]+: this is not YAML' &&
	config_is_refused 'just text' 'bad.yml:1: expected settings' &&
	config_is_refused 'http_server_config:\n  http2: true\n' \
		"bad.yml:1: kvm-stats does not support the setting 'http_server_config'" &&
	config_is_refused "$tls  cipher_suites: [a]\n" "bad.yml:4: .*'cipher_suites'" &&
	config_is_refused "$tls  client_auth_type: RequireAndVerifyClientCert\n" \
		'bad.yml:4: .*reverse proxy' &&
	config_is_refused "$tls  min_version: 1.2\n" 'bad.yml:4: expected TLS10' &&
	config_is_refused 'tls_server_config:\n  cert_file: cert.pem\n' 'bad.yml:1: cert_file and' &&
	config_is_refused 'tls_server_config:\n  cert_file: none.pem\n' \
		'web/none.pem: cannot read: No such file' &&
	config_is_refused 'tls_server_config:\n  cert_file: key.pem\n  key_file: cert.pem\n' \
		'cannot start the HTTP server.*certificate' &&
	config_is_refused 'basic_auth_users:\n' "bad.yml:1: expected users" &&
	config_is_refused 'basic_auth_users:\n  a: secret\n' \
		"bad.yml:2: expected the bcrypt hash of the password of 'a'" &&
	serve_prints 1 'nowhere.yml: cannot read: No such file' --listen 127.0.0.1:0 \
		--web.config.file "$web/nowhere.yml" &&
	serve_prints 2 'add --listen' --once --web.config.file "$web/all.yml"
}

web_tests()
{
	local why

	why=$(why_no_web)
	if [ -n "$why" ]; then
		skip "the server uses TLS and passwords" "$why"
		return
	fi
	check "a certificate is made" make_certificate
	check "the server uses TLS and passwords" serves_https
	check "without the right password a client gets an error" refuses_without_password
	check "a client without TLS 1.3 is refused if the file requires it" refuses_old_tls
	check "silent clients do not block clients with TLS" silent_tls_clients
	check "SIGTERM ends the server with TLS, without leaks" end_server
	check "the server uses passwords without TLS" serves_only_with_password
	check "mistakes in the file are reported, with the line" bad_configurations
	stop_server
}
