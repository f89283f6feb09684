// SPDX-License-Identifier: GPL-2.0-only
/* Replaces web_config.c and web_auth.c if libyaml, libcrypt or HTTP are not available. */
#include "base/output.h"
#include "serve/web_config.h"

bool web_config_read(struct web_config *config, const char *file)
{
	(void)config;
	complain("%s: this kvm-stats was built without libyaml and libcrypt (Debian: libyaml-dev, "
		 "libcrypt-dev), so it has no TLS and no passwords. Use a reverse proxy.", file);
	return false;
}

void web_config_free(struct web_config *config)
{
	(void)config;
}

const char *web_config_priorities(const struct web_config *config, char *buf)
{
	(void)config;
	(void)buf;
	return "NORMAL";
}

bool web_config_permits(struct web_config *config, const char *authorization)
{
	(void)config;
	(void)authorization;
	return true;
}
