// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The names of colour properties, as in ffprobe; nil for unspecified values.
enum ColorNames {
    static func range(_ range: ColorAttachments.Range) -> String? {
        switch range {
        case .unspecified: nil
        case .limited: "tv"
        case .full: "pc"
        }
    }

    static func chromaLocation(_ location: ColorAttachments.ChromaLocation) -> String? {
        switch location {
        case .unspecified: nil
        case .left: "left"
        case .center: "center"
        case .topLeft: "topleft"
        case .top: "top"
        case .bottomLeft: "bottomleft"
        case .bottom: "bottom"
        }
    }

    static func fieldOrder(_ order: PixelBufferAttachments.FieldOrder) -> String {
        switch order {
        case .progressive: "progressive"
        case .topFieldFirst: "tt"
        case .bottomFieldFirst: "bb"
        }
    }
}
