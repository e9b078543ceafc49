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

    @Test func `the last part is what titles show`() {
        #expect(AssetLocation("/films/a b.mp4").displayName == "a b.mp4")
        #expect(AssetLocation("https://example.org/films/a.m3u8?b/c").displayName == "a.m3u8")
        #expect(AssetLocation("https://e.org/My%20Film.mp4?x").displayName == "My Film.mp4")
        #expect(AssetLocation("https://e.org/%ff.mp4").displayName == "%ff.mp4")
    }
}
