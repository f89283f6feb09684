/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two processes of kvm-stats serve, and the protocol between them.
 *
 * The collector is kvm-stats: it has the rights to read statistics, and writes expositions. It
 * starts kvm-stats-http before it opens any statistics. That process has no rights, talks HTTP with
 * the clients, and is the only one that links libmicrohttpd. It inherits standard error, the
 * listening socket as fd 0, and one end of a socket pair as fd 1. On the socket pair it sends one
 * byte for each exposition that it wants: an exposition_format. The collector answers with the
 * size, a uint64_t, and the text. A size of 0 means that the statistics cannot be read. The end of
 * the socket pair ends both processes.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#define HTTP_PROGRAM	"kvm-stats-http"

#define HTTP_LISTENER	0
#define HTTP_COLLECTOR	1

enum exposition_format {
	OPENMETRICS_1_0,
	PROMETHEUS_TEXT_0_0_4,
	EXPOSITION_FORMATS,
};

#endif /* SERVE_HTTP_H */
