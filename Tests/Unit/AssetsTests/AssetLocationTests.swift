// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Testing

@Suite struct AssetLocationTests {
    @Test(arguments: [
        ("film.mp4", "film.mp4"), ("a:b.mp4", "a:b.mp4"), ("50% done.mp4", "50% done.mp4"),
        ("file.mp4", "file.mp4"), ("file:///a/b.mp4", "/a/b.mp4"),
        ("FILE:///a/b.mp4", "/a/b.mp4"), ("file:///a%20b%2Fc.mp4", "/a b/c.mp4"),
        ("file://localhost/a.mp4", "/a.mp4"), ("file:///%E6%98%A0%E7%94%BB.mp4", "/映画.mp4"),
        ("file:///a.mp4?x#y", "/a.mp4"), ("file:///100%.mp4", "/100%.mp4"),
        ("file:///100%+20.mp4", "/100%+20.mp4"),
        ("file:///a b.mp4", "/a b.mp4"),
    ])
    func `text that is not an address is a path`(text: String, path: String) {
        #expect(AssetLocation(text) == .file(path: path))
    }

    @Test(arguments: ["http://a/b.mp4", "HTTPS://a/b%20c.mp4?d"])
    func `addresses stay as they are typed`(text: String) {
        #expect(AssetLocation(text) == .remote(url: text))
    }

    @Test(arguments: [
        ("rtsp://me:secret@host:554/live?key=secret", "rtsp://host:554/live"),
        ("rtsp://me@host/a@b", "rtsp://host/a@b"),
        ("rtsp://host:554/live", "rtsp://host:554/live"),
        ("rtsp://me:secret", "rtsp://…"),
        ("srt://host:9000?passphrase=secret", "srt://host:9000"),
        ("udp://@:5000", "udp://@:5000"),
        ("http://me:secret@host:8080/a.mp4?b=c", "http://host:8080/a.mp4?b=c"),
        ("https://[::1]:8443/a?b", "https://[::1]:8443/a?b"),
        ("http://host/@me/a.mp4", "http://host/@me/a.mp4"),
        ("https://host/a.mp4?mail=me@example.org", "https://host/a.mp4?mail=me@example.org"),
        ("/films/me:secret@host/a.mp4", "/films/me:secret@host/a.mp4"),
        // In a password, some characters must be percent-encoded, and sometimes are not.
        ("rtsp://me:secret/12@host/live", "rtsp://…@host/live"),
        ("rtsp://me:12/secret@host/live", "rtsp://…@host/live"),
        ("rtsp://me:12#secret@host/live", "rtsp://…@host/live"),
        ("rtsp://me:12?secret@host/live", "rtsp://…"),
        ("rtsp://me:12/secret@host/live?key=a@b", "rtsp://…"),
        ("rtsp://me:secret@12/secret@host:8554/live", "rtsp://…@host:8554/live"),
        ("rtsp://m/e:secret@host/live", "rtsp://…@host/live"),
        ("rtsp://me:12/secret@secret:secret", "rtsp://…"),
        ("http://me:12/secret@host/a.mp4", "http://…@host/a.mp4"),
        ("http://me:12?secret@host/a.mp4", "http://…"),
        ("http://host:8080/@me/a.mp4", "http://…@me/a.mp4"),
    ]) func `messages never have what may be a password`(text: String, shown: String) {
        #expect(AssetLocation(text).publicDescription == shown)
    }

    @Test func `the last part is what titles show`() {
        #expect(AssetLocation("/films/a b.mp4").displayName == "a b.mp4")
        #expect(AssetLocation("https://example.org/films/a.m3u8?b/c").displayName == "a.m3u8")
        #expect(AssetLocation("https://e.org/My%20Film.mp4?x").displayName == "My Film.mp4")
        #expect(AssetLocation("https://e.org/%ff.mp4").displayName == "%ff.mp4")
    }
}
