// SPDX-License-Identifier: Apache-2.0

import Playhead

/// Films as they are named on command lines: paths, URLs, and `-` for standard input.
enum InputFile {
    static func asset(_ file: String, options: AssetOptions = AssetOptions()) -> Asset {
        if file == "-",
            let asset = try? DataAsset(
                fileDescriptor: 0, name: "standard input", options: options)
        {
            return asset
        }
        return URLAsset(file, options: options)
    }
}
