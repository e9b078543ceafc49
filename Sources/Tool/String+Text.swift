// SPDX-License-Identifier: Apache-2.0

import Foundation

extension String {
    /// A text file in UTF-8, without the byte order mark that some editors begin it with.
    init(text data: Data) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.init(decoding: data.starts(with: mark) ? data.dropFirst(3) : data, as: UTF8.self)
    }
}
