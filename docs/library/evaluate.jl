# Asks a trained run for u and u_x.
#
#   julia evaluate.jl runs/burgers
const libpinn = get(ENV, "LIBPINN", "libpinn.so.0")

function check(code, error)
    code == 0 && return
    text = unsafe_string(error[])
    ccall((:pinn_free, libpinn), Cvoid, (Ptr{Cchar},), error[])
    throw(ErrorException(text))
end

run, formulas = Ref{Ptr{Cvoid}}(), Ref{Ptr{Cvoid}}()
error = Ref{Ptr{Cchar}}(C_NULL)
check(ccall((:pinn_load, libpinn), Cint, (Cstring, Ptr{Ptr{Cvoid}}, Ptr{Ptr{Cchar}}),
            ARGS[1], run, error), error)
check(ccall((:pinn_compile, libpinn), Cint,
            (Ptr{Cvoid}, Cstring, Cint, Ptr{Ptr{Cvoid}}, Ptr{Ptr{Cchar}}),
            run[], "u, u_x", 0, formulas, error), error)
# [coordinates, count] and [count, formulas]: the other way round than in C.
points = [i == 1 ? x : 0.5 for i in 1:2, x in -0.6:0.4:1.0]
values = zeros(size(points, 2), 2)
check(ccall((:pinn_evaluate, libpinn), Cint,
            (Ptr{Cvoid}, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Ptr{Cchar}}),
            formulas[], size(points, 2), points, values, error), error)
for n in axes(points, 2)
    println("u(", points[1, n], ", 0.5) = ", values[n, 1], "  u_x = ", values[n, 2])
end
ccall((:pinn_release, libpinn), Cvoid, (Ptr{Cvoid},), formulas[])
ccall((:pinn_close, libpinn), Cvoid, (Ptr{Cvoid},), run[])
