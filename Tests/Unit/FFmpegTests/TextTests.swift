// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PlayheadFFmpeg

@Suite struct TextTests {
    @Test(arguments: [
        "", "f", "fo", "foo", "foob", "fooba", "foobar", "Ünï:cödé", "a:b\u{0}\u{7f}",
    ])
    func `base 64 is as Foundation's`(text: String) {
        #expect(Base64.encoded(Array(text.utf8)) == Data(text.utf8).base64EncodedString())
    }
}
