# SPDX-License-Identifier: GPL-2.0-or-later
#
# Text of a terminal to an SVG picture: build/kjump show last | awk -f doc/picture.awk
function escape(s) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	return s
}
{
	line[NR] = $0
	if (length($0) > width)
		width = length($0)
}
END {
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" " \
	       "font-family=\"monospace\" font-size=\"13\">\n", width * 8 + 24, NR * 17 + 20
	print "<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#15191e\"/>"
	for (i = 1; i <= NR; i++) {
		fill = "#d7dce2"
		if (line[i] ~ /panic|hang|reset|load-failed|wrong-target/)
			fill = "#f08a7a"
		else if (line[i] ~ /infra-error|degraded/)
			fill = "#e6c46a"
		else if (line[i] ~ /userspace-reached|[0-9]s/)
			fill = "#93d29a"
		printf "<text x=\"12\" y=\"%d\" fill=\"%s\" xml:space=\"preserve\">%s</text>\n", \
		       i * 17 + 8, fill, escape(line[i])
	}
	print "</svg>"
}
