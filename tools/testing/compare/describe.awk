# SPDX-License-Identifier: GPL-2.0-only
# Describe type, unit and size of a statistic in a few words, for comparisons: "cumulative",
# "instant boolean", "cumulative ns", "log2[32] ns", "linear[10x100]".

function describe(type, unit, base, exponent, size, bucket_size,   scale)
{
	if (size != 1 || bucket_size != 0 || type == "log2" || type == "linear")
		type = type "[" size (bucket_size != 0 ? "x" bucket_size : "") "]"
	scale = base == "pow10" && exponent == 0 ? "" : base "^" exponent
	if (unit == "seconds" && scale == "pow10^-9")
		return type " ns"
	if (unit == "none" && scale == "")
		return type
	return type " " unit (scale == "" ? "" : "*" scale)
}
