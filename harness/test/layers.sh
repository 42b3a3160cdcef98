#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who may include whom, as in doc/design.md; and third-party headers only at
# the edge. Prints file:line of each breach; exit status 1 if there is one.
awk '
BEGIN {
	may["base"] = "base"
	may["plan"] = "plan base"
	may["evidence"] = "evidence base"
	may["image"] = "image base plan"
	may["machine"] = "machine base plan"
	may["grab"] = "grab base machine/display/picture.h machine/display/capture_stream.h"
	may["sim"] = "sim machine base plan"
	may["probe"] = "probe base plan machine"
	may["run"] = "run base plan image machine probe evidence"
	may["judge"] = "judge base evidence plan/job.h plan/rule.h"
	may["store"] = "store base plan judge/verdict.h"
	may["report"] = "report base store judge/verdict.h"
	may["bisect"] = "bisect base plan judge/verdict.h store"
	# library header -> the only files that may name it
	edge["yaml.h"] = "harness/plan/yaml.c"
	edge["json-c/json.h"] = "harness/base/json.c"
	edge["sqlite3.h"] = "harness/store/store_sqlite.c harness/store/sql.c harness/store/sql.h"
	edge["libfdt.h"] = "harness/image/dt.c harness/image/dt_compare.c harness/image/dt_framebuffer.c"
	edge["hs.h"] = "harness/judge/symptom.c"
	edge["libelf.h"] = "harness/image/elf.c"
	edge["gelf.h"] = "harness/image/elf.c"
	edge["pcre2.h"] = "harness/plan/rule.c harness/judge/symptom.c"
	edge["expat.h"] = "harness/machine/debug/rsp_target_xml.c"
	edge["png.h"] = "harness/machine/display/picture_png.c"
	edge["bpf/btf.h"] = "harness/probe/btf.c"
	edge["bpf/libbpf.h"] = "harness/probe/btf.c"
	edge["libavcodec/avcodec.h"] = "harness/grab/source.c"
	edge["libavdevice/avdevice.h"] = "harness/grab/source.c"
	edge["libavformat/avformat.h"] = "harness/grab/source.c"
	edge["libswscale/swscale.h"] = "harness/grab/source.c"
	edge["nettle/sha2.h"] = "harness/base/digest.c"
}
FNR == 1 { split(FILENAME, part, "/"); layer = part[2] }
/^#include "/ {
	split($0, q, "\"")
	target = q[2]
	if (!(layer in may))	# main.c, cmd, test, fuzz see everything
		next
	split(target, dir, "/")
	n = split(may[layer], ok, " ")
	good = 0
	for (i = 1; i <= n; i++)
		if (ok[i] == dir[1] || ok[i] == target)
			good = 1
	if (!good) {
		printf "%s:%d: %s may not include %s\n", FILENAME, FNR, layer, target
		bad = 1
	}
}
/^#include </ {
	split($0, q, /[<>]/)
	if (q[2] in edge && layer != "test" && layer != "fuzz" && \
	    index(" " edge[q[2]] " ", " " FILENAME " ") == 0) {
		printf "%s:%d: <%s> belongs in %s\n", FILENAME, FNR, q[2], edge[q[2]]
		bad = 1
	}
}
END { exit bad }
' $(find harness -name '*.[ch]' | sort)
