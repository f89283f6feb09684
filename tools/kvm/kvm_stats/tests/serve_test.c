// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test canonical numbers in labels, Accept headers, identities of guests, addresses, and timeouts
 * of clients.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"
#include "guest_files.h"
#include "openmetrics/libvirt.h"
#include "openmetrics/number.h"
#include "serve/accept.h"
#include "serve/address.h"
#include "serve/clients.h"
#include "tap.h"

/* The output of Go's strconv.FormatFloat(x, 'g', -1, 64), with ".0" after whole numbers. */
static void test_canonical(void)
{
	static const char * const cases[][2] = {
		{ "0", "0.0" }, { "0.000", "0.0" }, { "1", "1.0" }, { "10", "10.0" },
		{ "12.5", "12.5" }, { "0.001", "0.001" }, { "0.0001", "0.0001" },
		{ "0.00012", "0.00012" }, { "0.00001", "1e-05" }, { "0.000000001", "1e-09" },
		{ "0.0000000005", "5e-10" }, { "0.000002047", "2.047e-06" },
		{ "1.073741823", "1.073741823" }, { "100000", "100000.0" },
		{ "999999.5", "999999.5" }, { "1000000", "1e+06" }, { "1234567", "1.234567e+06" },
		{ "1048575", "1.048575e+06" }, { "10200300", "1.02003e+07" },
		{ "9223372036.854775807", "9.223372036854775807e+09" },
		{ "18446744073709551615", "1.8446744073709551615e+19" },
		{ "100000000000000000000000000000000", "1e+32" }, { "20.50", "20.5" },
		{ "105", "105.0" },
	};
	char found[CANONICAL_SIZE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		canonical_number(cases[i][0], found);
		if (!tap_ok(!strcmp(found, cases[i][1]), "canonical number of %s", cases[i][0]))
			printf("# expected %s, found %s\n", cases[i][1], found);
	}
}

static void test_accept(void)
{
	static const struct {
		const char *accept;
		enum exposition_format format;
	} headers[] = {
		{ NULL, PROMETHEUS_TEXT_0_0_4 },
		{ "", PROMETHEUS_TEXT_0_0_4 },
		{ "*/*", PROMETHEUS_TEXT_0_0_4 },
		{ "text/plain", PROMETHEUS_TEXT_0_0_4 },
		{ "text/html,application/xhtml+xml,*/*;q=0.8", PROMETHEUS_TEXT_0_0_4 },
		{ "application/json", PROMETHEUS_TEXT_0_0_4 },
		{ "application/openmetrics-text", OPENMETRICS_1_0 },
		{ "Application/OpenMetrics-Text ; Version=1.0.0", OPENMETRICS_1_0 },
		{ "application/openmetrics-text; charset=utf-8; version=1.0.0", OPENMETRICS_1_0 },
		{ "application/openmetrics-text;q=0", PROMETHEUS_TEXT_0_0_4 },
		{ "application/openmetrics-text;version=2.0.0", PROMETHEUS_TEXT_0_0_4 },
		{ "application/openmetrics-text;version=0.0.1,text/plain;q=0.1",
		  PROMETHEUS_TEXT_0_0_4 },
		{ "application/openmetrics-text;version=2.0.0;q=0.9,"
		  "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5",
		  OPENMETRICS_1_0 },
		/* Prometheus 2.42 */
		{ "application/openmetrics-text;version=1.0.0,"
		  "application/openmetrics-text;version=0.0.1;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", OPENMETRICS_1_0 },
		{ "application/openmetrics-text;q=0.5,text/plain;q=0.500", OPENMETRICS_1_0 },
		{ "application/openmetrics-text;q=0.4,text/plain;q=0.5", PROMETHEUS_TEXT_0_0_4 },
		{ "text/plain;version=0.0.4;q=0.3,application/openmetrics-text;q=0.4",
		  OPENMETRICS_1_0 },
		{ "application/openmetrics-text;q=0.4,text/*;q=0.5", PROMETHEUS_TEXT_0_0_4 },
		{ ",,;;,=,application/openmetrics-text;;q=;=,", OPENMETRICS_1_0 },
		{ "application/openmetrics-textual", PROMETHEUS_TEXT_0_0_4 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(headers); i++)
		tap_ok(accept_format(headers[i].accept) == headers[i].format, "%s: %s",
		       headers[i].format == OPENMETRICS_1_0 ? "OpenMetrics" : "text format",
		       headers[i].accept ? headers[i].accept : "no Accept header");
}

static void test_gzip(void)
{
	static const struct {
		const char *accept;
		bool gzip;
	} headers[] = {
		{ NULL, false }, { "", false }, { "identity", false }, { "gzip", true },
		{ "GZip;q=0.5, deflate", true }, { "deflate, gzip;q=0", false },
		{ "gzip;q=0.000", false }, { "br;q=1.0, gzip;q=0.8, *;q=0.1", true },
		{ "x-gzipped", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(headers); i++)
		tap_ok(accept_gzip(headers[i].accept) == headers[i].gzip, "%s: %s",
		       headers[i].gzip ? "gzip" : "no gzip",
		       headers[i].accept ? headers[i].accept : "no Accept-Encoding header");
}

static void test_addresses(void)
{
	static const char * const good[] = {
		"127.0.0.1:10203", "0.0.0.0:1", "[::1]:65535", "[::]:0", "[fe80::1:2]:80",
		":9177", ":0",
	};
	static const char * const bad[] = {
		"", ":", ":x", ":65536", "[]:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
		"127.0.0.1:-1",
		"127.0.0.1:8x", "localhost:80", "1.2.3:80", "::1:80", "[::1]", "[::1:80", "[::1]80",
		"[127.0.0.1]:80", "127.0.0.1: 80", "127.0.0.1:99999999999999999999",
		"1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:80",
	};
	struct address address;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		tap_ok(!address_parse(&address, good[i]), "'%s' is a valid address", good[i]);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		tap_ok(address_parse(&address, bad[i]), "'%s' is not a valid address", bad[i]);
}

/* ---- identities ---- */

static const char *text_of(const char *text)
{
	return text ? text : "none";
}

#define UUID	"0a1b2c3d-0000-4000-8000-00000000000f"

static void is_found(const struct guest_files *files, int pid, const char *expected,
		     const char *what)
{
	char *name = NULL, *uuid = NULL;
	char found[128];

	libvirt_find(files->libvirt, pid, &name, &uuid);
	snprintf(found, sizeof(found), "%s, %s", text_of(name), text_of(uuid));
	if (!tap_ok(!strcmp(found, expected), "%s", what))
		printf("# expected %s, found %s\n", expected, found);
	free(name);
	free(uuid);
}

static void test_libvirt(const struct guest_files *files)
{
	write_libvirt(files, "a.xml", "<domstatus state='running' reason='booted' pid='17'>\n"
		      "<vcpus><vcpu id='0' pid='18'/></vcpus><domain type='kvm' id='1'>\n"
		      "<name>a &lt;&amp;&gt; b &x;</name><uuid>" UUID "</uuid>\n");
	write_libvirt(files, "b.xml", "<domstatus pid='19'><domain type='kvm'><name>b</name>");
	write_libvirt(files, "c.xml", "<domstatus pid='20'");
	write_libvirt(files, "d.xml", "<networkstatus pid='21'><name>d</name>");
	is_found(files, 17, "a <&> b &x;, " UUID, "libvirt's file has the name and the UUID");
	is_found(files, 18, "none, none", "the PID of a vCPU thread is not the PID of the VMM");
	is_found(files, 19, "b, none", "a file without a UUID has the name");
	is_found(files, 20, "none, none", "a file that ends early is ignored");
	is_found(files, 21, "none, none", "a file of another kind is ignored");
	is_found(files, 1, "none, none", "a VMM that libvirt does not know is not found");
}

static void test_identities(void)
{
	struct guest_files files;

	if (!tap_ok(!guest_files_make(&files), "a directory for fake files is made"))
		return;
	test_libvirt(&files);
	guest_files_remove(&files);
}

/* ---- clients ---- */

static int ends[MAX_CLIENTS][2];

static bool is_disconnected(int n)
{
	char byte;

	return !recv(ends[n][1], &byte, 1, MSG_DONTWAIT);
}

static struct client *connect_client(struct clients *clients, int n, uint64_t now)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[n]))
		return NULL;
	return client_add(clients, ends[n][0], now);
}

static void test_deadlines(void)
{
	struct clients clients = { 0 };
	struct client *silent = connect_client(&clients, 0, 10 * SECOND);
	struct client *waiting = connect_client(&clients, 1, 10 * SECOND);

	if (!tap_ok(silent && waiting, "two clients connect"))
		return;
	waiting->request_received = true;
	tap_is(clients_deadline(&clients), 15 * SECOND,
	       "a client must send its request within 5 seconds");
	clients_expire(&clients, 15 * SECOND - 1);
	tap_ok(!is_disconnected(0) && !is_disconnected(1),
	       "no client is disconnected before the timeout");
	clients_expire(&clients, 15 * SECOND);
	tap_ok(is_disconnected(0) && !is_disconnected(1),
	       "a client that sends no request is disconnected");
	tap_is(clients_deadline(&clients), 70 * SECOND,
	       "a client must receive its response within 60 seconds");
	clients_expire(&clients, 70 * SECOND);
	tap_ok(is_disconnected(1), "a client that does not receive its response is disconnected");
	tap_ok(clients_deadline(&clients) == UINT64_MAX, "a disconnected client has no timeout");
	client_remove(&clients, silent);
	client_remove(&clients, waiting);
	tap_is(clients.count, 0, "no client remains");
}

static void test_overload(void)
{
	struct clients clients = { 0 };
	struct client *first = connect_client(&clients, 0, 1);
	int i, disconnected = 0;

	first->request_received = true;
	for (i = 1; i < MAX_CLIENTS; i++)
		connect_client(&clients, i, 1 + i);
	tap_ok(!is_disconnected(0),
	       "under overload a client that has sent a request stays connected");
	for (i = 1; i < MAX_CLIENTS; i++)
		disconnected += is_disconnected(i);
	tap_is(disconnected, 8, "under overload 8 clients without a request are disconnected");
	tap_ok(is_disconnected(1) && is_disconnected(8) && !is_disconnected(9),
	       "the oldest clients are disconnected");
	tap_ok(!client_add(&clients, -1, 100), "a client beyond the maximum is not added");
}

int main(void)
{
	test_canonical();
	test_accept();
	test_gzip();
	test_identities();
	test_addresses();
	test_deadlines();
	test_overload();
	return tap_end();
}
