// SPDX-License-Identifier: Apache-2.0

/// Reads user shaders of mpv and libplacebo: blocks that hook into stages between decoder and
/// screen.
///
/// `HookChain.Stage` lists the stages. Blocks have the lines `HOOK BIND SAVE DESC WIDTH HEIGHT WHEN
/// COMPONENTS OFFSET COMPUTE`; `PARAM` and `TEXTURE` blocks are supported. Anything else is an
/// error with its line, because a shader that silently did less would be worse than none. `LUMA`,
/// `CHROMA` and `NATIVE` hold the stored planes of the video; of anything else, Y'CbCr computed
/// from R'G'B' with BT.709 in full range and chroma at the size of luma.
///
/// - Corresponds to: mpv's `--glsl-shaders`; libplacebo's custom shaders.
package enum HookImporter {
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.malformedHeader`.
    package static func effect(
        text: String, path: String
    ) throws(EffectError) -> Effect {
        let text = ShaderText.withLineFeeds(text)
        try SourceLimits.check(text, path: path, firstLine: 1, source: Limits.source)
        let blocks = try HookBlock.blocks(of: text, path: path)
        guard blocks.count <= Limits.blocks else {
            throw .beyondLimit(
                path: path, line: nil,
                reason: "it has \(blocks.count) blocks; \(Limits.blocks) are possible")
        }
        var chain = HookChain(path: path, blocks: blocks)
        for block in blocks {
            try chain.addParameter(block)
            try chain.addTable(block)
        }
        chain.begin()
        for stage in HookChain.Stage.allCases { try chain.add(stage, blocks) }
        chain.end()
        var effect = Effect(
            name: EffectName.name(ofPath: path), path: path, format: .hook,
            inputs: [EffectInput(name: "inputImage", kind: .image)] + chain.parameters,
            shaders: chain.shaders)
        effect.passes = chain.passes
        // Those of parameters say what a number does.
        effect.summary =
            blocks.first { $0.parameter == nil && !$0.summary.isEmpty }?.summary ?? ""
        effect.tables = chain.tables
        effect.requirements.sourceSize = true
        effect.requirements.storedPlanes = chain.readsPlanes
        try SourceLimits.check(effect.shaders, vertex: effect.vertex)
        return effect
    }

    private enum Limits {
        /// The largest of Anime4K's networks has 84 blocks and some 2 MB.
        static let blocks = 512
        static let source = 8 << 20
    }
}
