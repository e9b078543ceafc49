/* SPDX-License-Identifier: Apache-2.0 */

/* Copies a static library so that a linker may remove unused code.
 *
 *     unretain FROM.a TO.a
 *
 * Swift's compiler marks every public function and its tables as to be retained (SHF_GNU_RETAIN),
 * since it does not know its callers. A library that exports a few functions of C has none, so the
 * mark is removed from sections of code and of its data, and --gc-sections can decide. The
 * sections of metadata that the runtime searches (swift5_...) keep it. */

#include <ar.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

static int begins(const char *name, const char *prefix) {
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* A member of the archive; what is no object file of 64 bits stays as it is. */
static void unretain(unsigned char *object, size_t size) {
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)object;
    Elf64_Shdr *sections;
    const char *names;
    size_t index, count, names_index;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shoff == 0) return;
    sections = (Elf64_Shdr *)(void *)(object + header->e_shoff);
    /* Where there are more sections than the header can count, the first one has the numbers. */
    count = header->e_shnum ? header->e_shnum : sections[0].sh_size;
    names_index = header->e_shstrndx == SHN_XINDEX ? sections[0].sh_link : header->e_shstrndx;
    if (header->e_shoff + count * sizeof *sections > size || names_index >= count) return;
    names = (const char *)object + sections[names_index].sh_offset;
    for (index = 0; index < count; index++) {
        const char *name = names + sections[index].sh_name;
        if (begins(name, ".text") || begins(name, ".rodata") || begins(name, ".data")
            || begins(name, ".bss"))
            sections[index].sh_flags &= ~(Elf64_Xword)SHF_GNU_RETAIN;
    }
}

int main(int count, char **arguments) {
    FILE *file;
    unsigned char *bytes;
    long size, place;
    if (count != 3) return 2;
    file = fopen(arguments[1], "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < SARMAG) return 1;
    rewind(file);
    bytes = malloc((size_t)size);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) return 1;
    fclose(file);
    if (memcmp(bytes, ARMAG, SARMAG) != 0) return 1;
    for (place = SARMAG; place + (long)sizeof(struct ar_hdr) <= size;) {
        struct ar_hdr *member = (struct ar_hdr *)(void *)(bytes + place);
        char digits[sizeof member->ar_size + 1] = {0};
        unsigned char *object;
        long length;
        memcpy(digits, member->ar_size, sizeof member->ar_size);
        length = atol(digits);
        place += (long)sizeof *member;
        if (length < 0 || length > size - place) return 1;
        /* Members begin at even places, which is not enough for what they hold. */
        object = malloc((size_t)length + 1);
        if (!object) return 1;
        memcpy(object, bytes + place, (size_t)length);
        unretain(object, (size_t)length);
        memcpy(bytes + place, object, (size_t)length);
        free(object);
        place += length + length % 2;
    }
    file = fopen(arguments[2], "wb");
    if (!file || fwrite(bytes, 1, (size_t)size, file) != (size_t)size) return 1;
    free(bytes);
    return fclose(file) != 0;
}
