use super::*;
use crate::types::VectorAbi;

#[test]
fn vectors_have_the_layout_of_their_language() {
    // Lane, lanes, then size and alignment in OpenCL C (section 6.1.5 of its specification), CUDA (`vector_types.h`) and
    // HIP (`amd_hip_vector_types.h`).
    let rows = [
        (Ty::FLOAT, 2, [(8, 8), (8, 8), (8, 8)]),
        (Ty::FLOAT, 3, [(16, 16), (12, 4), (12, 4)]),
        (Ty::FLOAT, 4, [(16, 16), (16, 16), (16, 16)]),
        (Ty::CHAR, 3, [(4, 4), (3, 1), (3, 1)]),
        (Ty::UCHAR, 4, [(4, 4), (4, 4), (4, 4)]),
        (Ty::DOUBLE, 2, [(16, 16), (16, 16), (16, 16)]),
        (Ty::DOUBLE, 3, [(32, 32), (24, 8), (24, 8)]),
        (Ty::DOUBLE, 4, [(32, 32), (32, 16), (32, 32)]),
        (Ty::LONG, 4, [(32, 32), (32, 16), (32, 32)]),
    ];
    for (lane, lanes, expected) in rows {
        for (abi, (size, align)) in
            [VectorAbi::OpenCl, VectorAbi::Cuda, VectorAbi::Hip].into_iter().zip(expected)
        {
            let ty = Ty::vector_of(abi, lane, lanes);
            assert_eq!(layout(ty), Some(Layout { size, align }), "{ty} of {abi:?}");
        }
    }
}
