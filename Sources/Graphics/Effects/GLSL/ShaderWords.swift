// SPDX-License-Identifier: Apache-2.0

/// Words of GLSL that cannot be the name of a variable or function of a shader.
enum ShaderWords {
    /// The scalar types with their vectors and matrices.
    static let numbers: Set<String> = [
        "float", "int", "uint", "bool", "vec2", "vec3", "vec4", "ivec2", "ivec3", "ivec4", "uvec2",
        "uvec3", "uvec4", "bvec2", "bvec3", "bvec4", "mat2", "mat3", "mat4", "mat2x2", "mat2x3",
        "mat2x4", "mat3x2", "mat3x3", "mat3x4", "mat4x2", "mat4x3", "mat4x4",
    ]

    /// The keywords of GLSL 3.30 and those reserved for later versions (section 3.6).
    static let reserved: Set<String> = {
        var words = numbers.union(keywords).union(futureWords)
        for prefix in ["", "i", "u"] {
            for sampler in samplers { words.insert("\(prefix)sampler\(sampler)") }
            for image in images { words.insert("\(prefix)image\(image)") }
        }
        return words
    }()

    private static let keywords = [
        "attribute", "const", "uniform", "varying", "layout", "centroid", "flat", "smooth",
        "noperspective", "break", "continue", "do", "for", "while", "switch", "case", "default",
        "if", "else", "in", "out", "inout", "true", "false", "invariant", "discard", "return",
        "lowp", "mediump", "highp", "precision", "struct", "void", "sampler1DShadow",
        "sampler2DShadow", "samplerCubeShadow", "sampler1DArrayShadow", "sampler2DArrayShadow",
        "sampler2DRectShadow",
    ]

    private static let samplers = [
        "1D", "2D", "3D", "Cube", "1DArray", "2DArray", "2DRect", "Buffer", "2DMS", "2DMSArray",
    ]

    private static let images = ["1D", "2D", "3D", "Cube", "1DArray", "2DArray", "Buffer"]

    private static let futureWords = [
        "common", "partition", "active", "asm", "class", "union", "enum", "typedef", "template",
        "this", "packed", "goto", "inline", "noinline", "volatile", "public", "static", "extern",
        "external", "interface", "long", "short", "double", "half", "fixed", "unsigned", "superp",
        "input", "output", "filter", "sizeof", "cast", "namespace", "using", "row_major", "hvec2",
        "hvec3", "hvec4", "dvec2", "dvec3", "dvec4", "fvec2", "fvec3", "fvec4", "sampler3DRect",
    ]
}
