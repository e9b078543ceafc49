// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// An upload method on the command line.
struct UploadArgument: ExpressibleByArgument {
    let upload: PictureUpload

    init?(argument: String) {
        guard let upload = PictureUpload(rawValue: argument) else { return nil }
        self.upload = upload
    }

    var defaultValueDescription: String { upload.rawValue }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    static var allValueStrings: [String] { PictureUpload.allCases.map(\.rawValue) }
}
