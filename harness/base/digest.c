// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>

#include "base/alloc.h"

struct digest {
	struct sha256_ctx ctx;
};

struct digest *digest_new(void)
{
	struct digest *s;

	xnew(s);
	sha256_init(&s->ctx);
	return s;
}

void digest_free(struct digest *s)
{
	free(s);
}

void digest_update(struct digest *s, const void *data, size_t len)
{
	nettle_sha256_update(&s->ctx, len, data);
}

void digest_update_str(struct digest *s, const char *str)
{
	digest_update(s, str, strlen(str) + 1);
}

void digest_hex(struct digest *s, char ret_hex[DIGEST_HEX_SIZE])
{
	uint8_t sum[SHA256_DIGEST_SIZE];
	size_t i;

	sha256_digest(&s->ctx, sizeof(sum), sum);
	for (i = 0; i < sizeof(sum); i++)
		sprintf(ret_hex + 2 * i, "%02x", sum[i]);
}

void digest_of(const void *data, size_t len, char ret_hex[DIGEST_HEX_SIZE])
{
	struct digest *s __free(digest) = digest_new();

	digest_update(s, data, len);
	digest_hex(s, ret_hex);
}

int digest_of_file(const char *path, char ret_hex[DIGEST_HEX_SIZE], struct err *e)
{
	struct digest *s __free(digest) = digest_new();
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);
	char block[65536];

	if (fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	for (;;) {
		ssize_t n = read(fd, block, sizeof(block));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, errno, "cannot read '%s'", path);
		if (!n)
			break;
		digest_update(s, block, (size_t)n);
	}
	digest_hex(s, ret_hex);
	return 0;
}
