// SPDX-License-Identifier: Apache-2.0
// libcurl 7.88 and later. Options and information are set and read by functions with variable
// arguments, which Swift does not import: each type of argument has a function here.
#pragma once
#if !__has_include(<curl/curl.h>)
#error "libcurl is missing: Scripts/install-dependencies installs it"
#endif
#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#if LIBCURL_VERSION_NUM < 0x075800
#error "libcurl 7.88 or later is required; Debian 12 and Ubuntu 24.04 have it"
#endif

static inline CURLcode ph_curl_begin(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }
static inline long ph_curl_basic(void) { return (long)CURLAUTH_BASIC; }
static inline long ph_curl_basic_or_digest(void) {
    return (long)(CURLAUTH_BASIC | CURLAUTH_DIGEST);
}

static inline CURLcode ph_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/// Sets a text, of which libcurl keeps a copy.
static inline CURLcode ph_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

/// Sets a list, of which libcurl keeps no copy.
static inline CURLcode ph_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ph_curl_set_share(CURL *easy, CURLSH *share) {
    return curl_easy_setopt(easy, CURLOPT_SHARE, share);
}

/// Sets the functions that receive the lines of the head, the body, and the addresses for which a
/// socket is opened. All of them receive the context.
static inline CURLcode ph_curl_set_callbacks(
    CURL *easy, size_t (*head)(char *, size_t, size_t, void *),
    size_t (*body)(char *, size_t, size_t, void *),
    curl_socket_t (*open_socket)(void *, curlsocktype, struct curl_sockaddr *), void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
    return code;
}

static inline size_t ph_curl_pause_writing(void) { return CURL_WRITEFUNC_PAUSE; }
static inline CURLcode ph_curl_continue(CURL *easy) {
    return curl_easy_pause(easy, CURLPAUSE_CONT);
}
static inline curl_socket_t ph_curl_no_socket(void) { return CURL_SOCKET_BAD; }

/// The address of a socket, which may be longer than its declaration.
static inline const struct sockaddr *ph_curl_address(const struct curl_sockaddr *address) {
    return &address->addr;
}

/// Returns a number, or 0 if it is not known.
static inline long ph_curl_number(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) ? 0 : value;
}

/// Returns a number of bytes, or 0 if it is not known.
static inline int64_t ph_curl_size(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) ? 0 : value;
}

/// Returns a text that belongs to libcurl, or NULL if it is not known.
static inline const char *ph_curl_text(CURL *easy, CURLINFO info) {
    char *value = NULL;
    return curl_easy_getinfo(easy, info, &value) ? NULL : value;
}

static inline CURLMcode ph_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// Returns the context of a transfer that has ended, and its result; NULL if no other has.
static inline void *ph_curl_next_result(CURLM *multi, CURLcode *result) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        char *context = NULL;
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        if (!curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context)) return context;
    }
    return NULL;
}

static inline CURLSHcode ph_curl_share(CURLSH *share, curl_lock_data data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}
