// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

extension GLTextureFormat {
    /// This format with the same memory layout, stored as 16-bit floats; itself unless it is of
    /// 32-bit floats. OpenGL ES 3.0, table 3.2, guarantees filtering of 16-bit floats.
    package var keptAsHalf: GLTextureFormat {
        guard isFloat, bytesPerChannel == 4,
            let half = GLTextureFormat(
                channelCount: channelCount, bytesPerChannel: 2, isFloat: true)
        else { return self }
        return filled(internalFormat: half.internalFormat)
    }
}

extension GLCapabilities {
    /// Returns the nearest format that can be filtered here.
    package func filterable(_ format: GLTextureFormat) -> GLTextureFormat {
        features.contains(.filteredFloats) ? format : format.keptAsHalf
    }

    /// Returns the nearest format that can be drawn to and filtered here.
    package func drawable(_ format: GLTextureFormat) -> GLTextureFormat {
        guard isES else { return format }
        var format = format
        if format == .rgba16, !features.contains(.textures16) { format = .rgba16Float }
        if format == .rgba32Float,
            !features.contains(.floatTargets) || !features.contains(.filteredFloats)
        {
            format = .rgba16Float
        }
        if format == .rgba16Float, !features.contains(.halfFloatTargets) { format = .rgba8 }
        return format
    }
}
