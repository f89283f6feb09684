/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdicts on guests: the rules, applied to the evidence. */
#ifndef WHY_VERDICT_H
#define WHY_VERDICT_H

#include "why/evidence.h"
#include "why/rules.h"

/* What was not examined */
enum gap {
	GAP_PROC,
	GAP_STATISTICS,
	GAP_BLOCKING,
	GAP_PRESSURE,
	GAP_NEIGHBOURS,
	GAPS,
};

extern const char * const gap_texts[GAPS];

struct verdict {
	enum rule_id rule;
	enum strength strength;
	double loss;			/* mean share of the time of these vCPUs; negative: none */
	size_t affected;		/* vCPUs with this verdict */
	size_t vcpus;
	double since;			/* seconds; negative: not known */
	bool since_is_least;		/* it can be longer */
	char text[160];
	char evidence[256];
	char remedy[256];
	bool gap[GAPS];
};

/* Whether the verdict says that something on the host costs the guest time. */
static inline bool verdict_is_finding(const struct verdict *verdict)
{
	return why_rules[verdict->rule].remedy;
}

/* Writes "waits for a CPU: 47 % (2 of 2 vCPUs)" to @buf. Returns @buf. */
const char *verdict_text(char *buf, size_t size, const struct verdict *verdict);

/* Writes since when: "14 s", "> 2 s", "3 m", or "-" to @buf. Returns @buf. */
const char *verdict_since(char *buf, size_t size, const struct verdict *verdict);

/* The verdict on one vCPU, which must be a thread of the guest. */
void vcpu_verdict(struct verdict *verdict, const struct evidence *evidence,
		  const struct guest_evidence *guest, const struct thread_evidence *vcpu);

/* The verdict on the guest: that on the vCPUs with the largest loss. */
void guest_verdict(struct verdict *verdict, const struct evidence *evidence,
		   const struct guest_evidence *guest);

/* Returns the vCPUs of a guest one after the other, or NULL. @at is 0 at first. */
const struct thread_evidence *guest_next_vcpu(const struct guest_evidence *guest, size_t *at);

#endif /* WHY_VERDICT_H */
