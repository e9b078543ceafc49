// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Testing

@testable import PlayheadFFmpeg

/// The parsing of addresses, and their privacy.
@Suite struct AddressTests {
    @Test(arguments: [
        ("http://Example.ORG", "http://example.org/"),
        ("HTTPS://example.org:443/a?b#c", "https://example.org/a?b"),
        ("http://example.org:8080?q", "http://example.org:8080/?q"),
        ("http://user:secret@example.org/a b", "http://example.org/a%20b"),
        ("http://[::1]:81/%20", "http://[::1]:81/%20"),
        ("http://h/a\r\nHost: evil", "http://h/a%0D%0AHost:%20evil"),
        ("http://good@evil/", "http://evil/"),
        ("http://h/ü", "http://h/%C3%BC"),
    ]) func addressesAreTakenApart(_ text: String, _ expected: String) {
        #expect(HTTPAddress(text)?.description == expected)
    }

    @Test(arguments: [
        "", "http:", "http://", "http:///a", "ftp://h/", "file:///a", "http://a b/", "http://h:0/",
        "http://h:65536/", "http://h:x/", "http://[::1/", "http://[x]/", "http://h\r\nx/",
        "http://h%2f/", "http:/h/", "http://h\\@evil/x:",
    ]) func whatIsNoAddressIsRefused(_ text: String) {
        let address = HTTPAddress(text)
        #expect(address == nil || address?.origin.host == "h" && text.contains("\\"))
    }

    // RFC 3986, section 5.4, as far as it applies to HTTP.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
        ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
        ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
    ]) func referencesAreResolved(_ reference: String, _ expected: String) {
        #expect(HTTPAddress("http://a/b/c/d;p?q")?.resolving(reference) == expected)
    }

    @Test(
        arguments: [
            (0x0808_0808, 0), (0x7f00_0001, 2), (0x0000_0000, 2), (0x0a01_0203, 1),
            (0xac10_0001, 1),
            (0xac20_0001, 0), (0xc0a8_0101, 1), (0xa9fe_a9fe, 1), (0x6440_0001, 1),
            (0xffff_ffff, 1),
            (0xe000_0001, 1), (0xc633_0001, 0),
        ] as [(UInt32, Int)]) func spacesOfIPv4(_ address: UInt32, _ space: Int)
    {
        #expect(NetworkSpace(ipv4: address).rawValue == space)
    }

    @Test func `IPv6 addresses have the right address space`() {
        func space(_ words: [UInt8]) -> NetworkSpace {
            NetworkSpace(ipv6: words + [UInt8](repeating: 0, count: 16 - words.count))
        }
        #expect(space([]) == .loopback)
        #expect(space([UInt8](repeating: 0, count: 15) + [1]) == .loopback)
        #expect(space([0xfe, 0x80]) == .private)
        #expect(space([0xfd]) == .private)
        #expect(space([0xff, 2]) == .private)
        #expect(space([0x2a, 0]) == .public)
        let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
        #expect(space(mapped + [127, 0, 0, 1]) == .loopback)
        #expect(space(mapped + [8, 8, 8, 8]) == .public)
        #expect(space([0x20, 0x02, 10, 0, 0, 1]) == .private)
        #expect(space([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 192, 168, 0, 1]) == .private)
    }
}
